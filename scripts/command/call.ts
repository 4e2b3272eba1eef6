/**
 * How a command of this repository is called, for help and messages. The packages that bring commands have
 * `scripts/packages/call.ts` in the place of this file.
 *
 * @param name a script of package.json.
 */
export function callOf(name: string, args = ''): string {
  const script = name === 'start' ? 'npm start' : `npm run -s ${name}`
  return args === '' ? script : `${script} -- ${args}`
}

/** The project of a task that names none, for help: the folder of a checkout is no project. */
export const usualProject = 'the sample project of a local network'
