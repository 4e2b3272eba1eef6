import path from 'node:path'
import type { Deployment } from '../contracts/deploy.ts'
import { type Profile, profileStrings } from '../protocol/identity/index.ts'
import { callOf } from '../scripts/command/call.ts'
import { accounts } from './accounts.ts'
import type { Chain } from './chain.ts'
import type { LocalNode } from './nodes/local-node.ts'
import { privateKeys } from './private-keys.ts'
import type { Sample } from './sample/make.ts'

interface Seconds {
  readonly all: number
  readonly chain: number
  readonly deployed: boolean
}

/**
 * The text that says where everything of a started network is.
 *
 * @param startOver the command that starts with empty data.
 */
export function describeNetwork(
  baseUrl: string,
  folder: string,
  startOver: string,
  chain: Chain,
  profile: Profile,
  { contracts }: Deployment,
  seconds: Seconds,
): string {
  const chainPart = `${seconds.deployed ? 'chain and new contracts' : 'chain'} ${seconds.chain.toFixed(1)} s`
  const { token, ...others } = contracts
  const rows = Object.entries({ [profileStrings(profile).token_member]: token, ...others }).map(
    ([name, address]) => `    ${name.padEnd(21)}${address}`,
  )
  const people = Object.entries(accounts).map(
    ([name, { address }]) =>
      `    ${name.padEnd(10)} ${address.toLowerCase()}  ${privateKeys[name as keyof typeof privateKeys]}`,
  )
  return `
The local network is ready (${seconds.all.toFixed(1)} s; ${chainPart}). Ctrl-C stops it.

  Console     ${baseUrl}/  in a browser
  Hub API     ${baseUrl}/v1
  Descriptor  ${baseUrl}/  for programs
  Docs        ${baseUrl}/docs
  OpenAPI     ${baseUrl}/v1/openapi.json
  Health      ${baseUrl}/v1/status
  Chain       ${chain.url}  (chain id ${chain.id})
  Data        ${folder}/  (${startOver} starts with empty data)

  Contracts
${rows.join('\n')}

  Accounts whose private keys are public: never send anything of value to them
${people.join('\n')}

  The relayer deployed the contracts and sends the relayed actions, so send nothing with it yourself.
  Operator, developer, miner and treasury were each given 100,000 ${profile.token_symbol}; the sample data uses some of it.
`
}

export function describeSample(hub: string, { projectId, nodeIds, dataDirs, seconds }: Sample): string {
  const devices = nodeIds.map((nodeId, i) => `    ${nodeId}  ${dataDirs[i]}/`)
  return `  Sample project of the developer (${seconds.toFixed(1)} s)
    ${hub}/v1/projects/${projectId}
    A task for it: ${callOf('task', `echo --input '{"hello":"world"}' --hub ${hub}`)}

  Sample devices of the miner with collateral in it, and their data directories for nodectl
${devices.join('\n')}
`
}

/** @param until Network time, Unix seconds. */
export const withoutDevices = (until: number): string =>
  `No device of the sample project is in the set of the running epoch, so validators run its tasks until ${new Date(until * 1_000).toISOString()} of the network's time. To move the time there: ${callOf('pass-time', '1h')}`

/** @param folder where the token of their operator is. */
export function describeNodes(nodes: readonly LocalNode[], folder: string): string {
  const rows = nodes.map(
    ({ name, url, nodeId, plan: { dataDir, logFile } }) =>
      `    ${name.padEnd(12)} ${nodeId}  ${url}  ${dataDir}/  ${logFile}`,
  )
  const token = path.join(folder, 'node-token')
  return `  Nodes, each a process of nodectl serve with its data directory and its log
${rows.join('\n')}

  The state of one of them: NODE_API_TOKEN=$(cat ${token}) ${callOf('nodectl', `status --url ${nodes[0]?.url}`)}
`
}
