import { expect, test } from 'vitest'
import { alwaysRefused, otherGivens, referenceCalls, rewardGivens } from '../../testing/reference/index.ts'
import { readText } from '../imports/graph.ts'
import { navigation } from '../site/navigation.ts'

const programs = 'testing/client-programs.ts'
const packages = 'sdk/package.test.ts'

/** Samples of each page by language: how many, and the test that runs them; or, in words, why none does. */
const known: Readonly<Record<string, readonly [count: number, by: string]>> = {
  'README.md sh': [2, programs],
  'docs/quickstart.md js': [1, programs],
  'docs/quickstart.md sh': [2, programs],
  'docs/submit-a-task.md js': [1, programs],
  'docs/submit-a-task.md sh': [7, programs],
  'docs/sign-in.md js': [1, programs],
  'docs/sign-in.md sh': [2, programs],
  'docs/gasless-actions.md ts': [1, packages],
  'docs/events.md js': [1, programs],
  'docs/events.md sh': [3, programs],
  'docs/verify-a-result.md js': [1, programs],
  'docs/verify-a-result.md sh': [1, programs],
  'docs/node-signatures.md js': [1, programs],
  'docs/build-on-it.md js': [1, programs],
  'docs/settlement.md sh': [1, programs],
  'examples/python/README.md sh': [1, programs],
  'sdk/README.md js': [8, programs],
  'sdk/README.md ts': [3, packages],
  'docs/become-a-validator.md sh': [3, 'localnet/nodes/local-nodes.test.ts'],
  'docs/become-a-validator.md console': [
    1,
    'It needs a public address; the same flags run on the local network.',
  ],
  'create/README.md sh': [1, 'create/walk.test.ts'],
  'create/template/readme.md sh': [4, 'create/walk.test.ts'],
  'docs/run-a-node.md sh': [2, 'create/walk.test.ts'],
  'docs/publish-a-project.md sh': [7, 'create/walk.test.ts'],
  'docs/publish-a-project.md ts': [1, 'node-cli/examples.test.ts'],
  'node-cli/README.md ts': [4, 'node-cli/examples.test.ts'],
  'node-cli/README.md console': [
    10,
    'Its commands are those of the tests of nodectl, with names of machines.',
  ],
  'docs/deploy.md sh': [7, 'deploy/up-local.test.ts'],
  'docs/conformance.md sh': [3, 'The tests of the kit run them with nodes and hubs that exist.'],
  'docs/operate-a-hub.md sh': [1, 'Every command is in the test of the tool, which has no such nodes.'],
  'docs/local-network.md sh': [2, 'One moves the time, as other guides do; one starts a server of wrangler.'],
  'docs/console.md sh': [1, 'It starts a server for work on the console.'],
  'sdk/README.md sh': [2, 'They install packages, as the tests of the packages do.'],
}

const found = new Map<string, number>()
const guides = navigation.flatMap(({ pages }) => pages.map(([, file]) => file))
for (const page of new Set([
  'README.md',
  'create/README.md',
  'create/template/readme.md',
  'docs/conformance.md',
  'docs/node-protocol.md',
  ...guides,
]))
  for (const [, language] of readText(page).matchAll(/^```(sh|console|js|ts|python)\n/gm))
    found.set(`${page} ${language}`, (found.get(`${page} ${language}`) ?? 0) + 1)

test('a test runs every sample of a guide, or the list says why not', () => {
  const counts = Object.entries(known).map(([sample, [count]]) => [sample, count] as const)
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(counts))
  const unnamed = Object.entries(known).filter(([sample, [, by]]) => {
    const [page = ''] = sample.replace('node-cli/', '').split(' ')
    return by.endsWith('.ts') && !readText(by).includes(page === 'sdk/README.md' ? 'readmeProgram(' : page)
  })
  expect(unnamed).toEqual([])
})

test('every sample of the reference is run unchanged, or with prepared records', () => {
  const calls = [...referenceCalls().values()]
  const given = Object.keys({ ...rewardGivens, ...otherGivens })
  const asTheyAre = calls.filter(({ operationId }) => !given.includes(operationId))
  expect(given.filter((one) => !calls.some(({ operationId }) => operationId === one))).toEqual([])
  // `testing/client-programs.ts` runs them: each reads, or submits the first task.
  expect(
    asTheyAre.filter(({ method, operationId }) => method !== 'GET' && operationId !== 'submitTask'),
  ).toEqual([])
  expect(Object.keys(alwaysRefused).filter((one) => !given.includes(one))).toEqual([])
})
