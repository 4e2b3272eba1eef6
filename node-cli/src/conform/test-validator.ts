import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Finding } from '../../../conformance/findings.ts'
import { conformValidator } from '../../../conformance/validator/index.ts'
import type { Profile } from '../../../protocol/identity/index.ts'
import { withCommand } from './command-under-test.ts'

/** Starts a validator on a free port of this machine, and has the scripted hub call it. */
export async function testValidator(profile: Profile, command: readonly string[]): Promise<Finding[]> {
  const address = `127.0.0.1:${await freePort()}`
  const url = `http://${address}`
  const variables = {
    NODE_ROLE: 'validator',
    NODE_BIND: address,
    NODE_NODE_URL: url,
    // Without one, nodectl takes every call of this machine for one of its operator.
    NODE_API_TOKEN: randomBytes(16).toString('hex'),
  }
  return withCommand(command, variables, (under) => conformValidator({ profile, url, ...under }))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
