import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Answerer, sendJson } from '../node-cli/src/serve/hub/testing/lying-hub.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { descriptorOf } from '../testing/node/hub-answers.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'

/** A hub for the commands of the tests of a file. */
export function useHub() {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub()
  })
  afterAll(() => hub?.stop())
  return {
    origin: () => hub.origin,
    /** In the process of the test; each command also has a test with a process of its own. */
    run: (command: string, node: Node, ...more: string[]) =>
      nodectlHere([command, ...at(node, hub.origin), ...more]),
    read: async (target: string) => (await fetch(hub.origin + target)).json(),
  }
}

export type Node = Awaited<ReturnType<typeof createNode>>

export async function createNode() {
  const dataDir = path.join(temporaryFolder(), 'node')
  const { stdout } = await nodectlHere(['keygen', '--data-dir', dataDir])
  const { node_id: nodeId, public_key: publicKey } = JSON.parse(stdout) as Record<string, string>
  return { dataDir, nodeId: nodeId!, publicKey: publicKey! }
}

/** A wallet with its key in a file for its owner alone. */
export function createWallet() {
  const privateKey = generatePrivateKey()
  const keyFile = path.join(temporaryFolder(), 'wallet.key')
  writeFileSync(keyFile, `${privateKey}\n`, { mode: 0o600 })
  const account = privateKeyToAccount(privateKey)
  return { account, owner: account.address.toLowerCase(), keyFile }
}

/** Options that name a node and the hub that it asks. */
export const at = ({ dataDir }: Node, origin: string) => ['--data-dir', dataDir, '--hub-url', origin]

/** Answers as a hub of this network does about itself and its time, and else as it is told. */
export const honestBeside =
  (answer: (url: string, response: Parameters<Answerer>[1], origin: string) => void): Answerer =>
  (request, response) => {
    const { url = '' } = request
    const origin = `http://${request.headers.host}`
    if (url === '/') return sendJson(response, descriptorOf(origin))
    if (url === '/v1/status') return sendJson(response, { time: Math.floor(Date.now() / 1000) })
    return answer(url, response, origin)
  }

/** A command ended so, with these words on standard error and nothing else. */
export const expectRefused = (ran: object, code: number, message: string) =>
  expect(ran).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) })
