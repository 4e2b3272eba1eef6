import { scope } from './scope.ts'

const packages: Readonly<Record<string, string>> = {
  start: 'testing',
  nodectl: 'nodectl',
  submit: 'create publish',
}

/** As `scripts/command/call.ts`, for somebody who has the packages and no checkout. */
export const callOf = (name: string, args = ''): string =>
  `npx ${scope}/${packages[name] ?? `create ${name}`} ${args}`.trim()

export const usualProject = 'the project of this folder'
