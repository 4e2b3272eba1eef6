import { expect, test } from 'vitest'
import { npmEnvironment } from './asc-home.ts'

test('npm gets the registry settings of the caller, and no other settings', () => {
  const kept = {
    PATH: '/bin',
    npm_config_registry: 'https://registry.example',
    NPM_CONFIG_HTTPS_PROXY: 'http://proxy.example',
    npm_config_userconfig: 'my.npmrc',
    'npm_config_//registry.example/:_authToken': 'secret',
  }
  expect(
    npmEnvironment({
      ...kept,
      npm_config_global: 'true',
      npm_config_prefix: '/usr',
      NPM_CONFIG_DRY_RUN: 'true',
      npm_config_registry_of_another_kind: 'x',
    }),
  ).toEqual(kept)
})
