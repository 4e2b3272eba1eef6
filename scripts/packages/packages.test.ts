import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { manifestOf, packageFolders } from '../../testing/packages.ts'
import { scope } from './scope.ts'

const lock = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'))
const manifests = packageFolders.map(manifestOf)

test('the names of all packages have the same scope', () => {
  const names = ['nodectl', 'client', 'testing', 'create'].map((name) => `${scope}/${name}`)
  expect(manifests.map(({ name }) => name)).toEqual(names)
})

test.each(manifests)('the dependencies of $name are exactly the installed ones', (manifest) => {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...optionalDependencies,
    ...peerDependencies,
  }))
    expect([name, version]).toEqual([
      name,
      manifests.find((other) => other.name === name)?.version ??
        lock.packages[`node_modules/${name}`].version,
    ])
})

test.each([
  ['README.md of nodectl', 'node-cli/README.md', `npm install -g ${scope}/nodectl`],
  ['README.md of the client', 'sdk/README.md', `npm install ${scope}/client`],
  ['README.md of testing', 'localnet/README.md', `npx ${scope}/testing`],
  ['README.md of create', 'create/README.md', `npx ${scope}/create my-project`],
])('%s contains the command that installs or runs it', (_, file, call) => {
  expect(readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')).toContain(call)
})
