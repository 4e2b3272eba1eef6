import { hashPayload } from '../../protocol/execution/index.ts'
import type { DirectRound } from '../../protocol/identity/index.ts'
import { collector, echo, spinner, type TestArtifact } from '../../testing/node/artifacts.ts'
import type { Reply, ServingNode } from '../../testing/node/serving-node.ts'
import { unixNow } from './hub-answers.ts'

/** The members of a `POST /execute` body that name these functions. */
export const echoing = { module: echo.address, function: 'echo' }
export const spinning = { module: spinner.address, function: 'f' }
export const collecting = { module: collector.address, function: 'f' }

export const bring = (node: ServingNode, { address, bytes }: TestArtifact) =>
  node.call(`/modules/${address}`, { method: 'PUT', body: bytes })

export const execute = (node: ServingNode, body: object) => node.call('/execute', { method: 'POST', body })

let nonces = 0
export const roundOf = (
  { address }: Pick<TestArtifact, 'address'>,
  change: Partial<DirectRound> = {},
): DirectRound => ({
  module_address: address,
  function: address === echo.address ? 'echo' : 'f',
  input_hash: hashPayload(new Uint8Array()),
  gas_limit: 1_000_000,
  issued_at: unixNow(),
  nonce: String(nonces++).padStart(32, '0'),
  ...change,
})

export const vote = (node: ServingNode, round: DirectRound): Promise<Reply> =>
  execute(node, { module: round.module_address, function: round.function, round })

/** The answer to a call that comes at the wrong time. */
export const conflict = (reason: string) => ({
  status: 409,
  json: { error: 'invalid_state', details: { reason } },
})

export const problemsOf = (reply: Reply) => ({
  status: reply.status,
  error: reply.json.error,
  problems: reply.json.details?.problems?.map(({ path, code }: { path: string; code: string }) => [
    path,
    code,
  ]),
})
