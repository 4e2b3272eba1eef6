/** `npm run deploy:contracts`: deploys the contracts of a public network, and prints what its hub needs. */

import { privateKeyToAccount } from 'viem/accounts'
import { formatEther } from 'viem/utils'
import { networkParamsOf, resolveProfile } from '../protocol/identity/index.ts'
import { adminDelaySecs } from './creations.ts'
import {
  DeployError,
  type Deployment,
  type DeploymentPlan,
  deployContracts,
  planDeployment,
} from './deploy.ts'
import { type DeployArguments, DeployUsageError, readDeployArguments, usage } from './deploy-arguments.ts'
import type { DeployOptions, Roles } from './deploy-options.ts'
import { writeDeployment } from './environment-file.ts'
import { callNode, RpcError } from './json-rpc.ts'
import { SendError } from './send.ts'

/** More than drips of a day can take, for years. */
const faucetSupplyWei = 1_000_000_000n * 10n ** 18n

const say = (line: string): void => console.error(line)

async function optionsOf(args: DeployArguments): Promise<DeployOptions & { roles: Roles }> {
  const { rpcUrl, key, admin, arbiter, guardian, treasury, others } = args
  const account = privateKeyToAccount(key)
  const [chainId] = await callNode(rpcUrl, [['eth_chainId']])
  const relayer = args.relayer ?? account.address
  const profile = resolveProfile({ chain_id: Number(chainId), ...args.profile })
  return {
    rpcUrl,
    account,
    profile,
    params: networkParamsOf(profile.chain_id),
    treasury,
    roles: {
      admin,
      arbiter,
      guardian,
      minter: relayer,
      dripper: relayer,
      reviewer: relayer,
      proposer: relayer,
      poster: relayer,
      ...others,
    },
    faucetSupplyWei,
    ...(args.resume && { resume: args.resume }),
  }
}

/**
 * The arbiter judges what the hub's keys do, and the admin can replace every one of them: neither may be among them. Either
 * may be the guardian, which only takes away.
 * @throws {@link DeployError}
 */
function requireSeparation({ account, roles }: DeployOptions & { roles: Roles }): void {
  for (const name of ['admin', 'arbiter'] as const) {
    const { guardian: _, ...judged } = roles
    const holders = Object.entries({ ...judged, 'account that pays': account.address })
    const shared = holders.filter(
      ([other, address]) => other !== name && address.toLowerCase() === roles[name].toLowerCase(),
    )
    if (shared.length > 0)
      throw new DeployError(
        `The ${name} ${roles[name]} is also the ${shared.map(([other]) => other).join(', ')}. Give it an account of its own.`,
      )
  }
}

/** Checks everything that can be checked before something is sent, and says what there is. */
async function check(options: DeployOptions & { roles: Roles }): Promise<DeploymentPlan> {
  const { rpcUrl, account, profile, params, treasury, roles } = options
  requireSeparation(options)
  const plan = await planDeployment(options)
  const { costWei, startBlock } = plan
  const [balance] = await callNode(rpcUrl, [['eth_getBalance', account.address, 'latest']])
  say(`chain       ${profile.chain_id}, block ${startBlock}`)
  say(`network     ${profile.network} of ${profile.service}, token ${profile.token_symbol}`)
  say(
    `pays        ${account.address}, at most ${formatEther(costWei)} of ${formatEther(BigInt(balance as string))}`,
  )
  for (const [name, address] of Object.entries({ ...roles, treasury })) say(`${name.padEnd(12)}${address}`)
  say(
    `parameters  unbonding ${params.unbonding_secs} s, challenge ${params.vault_challenge_secs} s, disputes`,
  )
  say(
    `            ${params.dispute_window_secs_min} to ${params.dispute_window_secs_max} s, changes of roles ${adminDelaySecs(params)} s`,
  )
  if (BigInt(balance as string) < costWei)
    throw new DeployError(`${account.address} has too little to pay for the deployment.`)
  return plan
}

/** Settings for `[vars]` of `wrangler.toml` or for `.dev.vars`, one a line. */
const settingsOf = ({ rpcUrl, profile }: DeployOptions, { contracts, startBlock }: Deployment): string =>
  Object.entries({
    PROFILE: JSON.stringify(profile),
    CHAIN_RPC_URL: rpcUrl,
    CHAIN_CONTRACTS: JSON.stringify(contracts),
    CHAIN_START_BLOCK: String(startBlock),
  })
    .map(([name, value]) => `${name} = '${value}'`)
    .join('\n')

async function run(args: DeployArguments): Promise<void> {
  const options = await optionsOf(args)
  const plan = await check(options)
  const { contracts, adminTimelock, beginning, calls } = plan
  if (args.write !== null) writeDeployment(args.write, plan, { isTrial: true })
  if (args.checkOnly) return
  for (const [name, address] of Object.entries({ ...contracts, timelock: adminTimelock }))
    say(`${name.padEnd(21)}${address}`)
  const resume = `${beginning.nonce}:${beginning.block}`
  say(`Deploying with ${calls.length} transactions. If this is interrupted, add --resume ${resume} …`)
  const deployment = await deployContracts({ ...options, resume: beginning })
  console.log(settingsOf(options, deployment))
  if (args.write !== null) writeDeployment(args.write, deployment)
  say(`\nThe admin acts through the timelock ${deployment.adminTimelock}.`)
  say(
    `The hub's secret RELAYER_PRIVATE_KEY is the key of ${args.relayer ?? options.account.address.toLowerCase()}.`,
  )
  say(`If the hub acts as the arbiter, its secret ARBITER_PRIVATE_KEY is the key of ${args.arbiter}.`)
}

const isExpected = (error: unknown): error is Error =>
  error instanceof DeployUsageError ||
  error instanceof DeployError ||
  error instanceof SendError ||
  error instanceof RpcError

try {
  const args = readDeployArguments(process.argv.slice(2), process.env)
  if (args === null) console.log(usage)
  else await run(args)
} catch (error) {
  const unreachable = error instanceof TypeError && error.message === 'fetch failed'
  if (!isExpected(error) && !unreachable) throw error
  say(`Error: ${unreachable ? 'No chain answers at the URL of --rpc.' : error.message}`)
  process.exitCode = error instanceof DeployUsageError ? 2 : 1
}
