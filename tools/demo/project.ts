import { randomBytes } from 'node:crypto'
import { privateKeys } from '../../localnet/private-keys.ts'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { readBalance } from '../../scripts/hub/balance.ts'
import type { Network } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { signIn, type Wallet } from '../../scripts/hub/wallet.ts'
import { inTokens } from '../amounts.ts'
import { print, printStep } from '../print.ts'
import { printedSignIn, waitForRecord } from '../printed-calls.ts'
import { enroll, registerProject } from '../project.ts'
import { fundProject } from '../vault.ts'
import { uploadWorker } from '../worker.ts'

/** More than the epoch of the demo pays. */
const fundsWei = 100n * 10n ** 18n

/** Makes a wallet with test tokens of the faucet. */
export async function makeWallet(network: Network, who: string): Promise<Wallet> {
  printStep(`${who} makes a wallet, signs in with it (EIP-4361), and asks the faucet for test tokens`)
  const wallet = await printedSignIn(network, bytesToHex(randomBytes(32)))
  const { amount } = await wallet.client.call('POST /v1/faucet/drip')
  await waitFor(
    'the tokens to arrive',
    () => readBalance(network, wallet),
    (balance) => balance === amount,
  )
  print('=', `the wallet has ${inTokens(network, amount)}`)
  return wallet
}

/** A developer brings a project into the catalogue, and funds its vault. @returns Its id. */
export async function makeProject(network: Network): Promise<string> {
  const developer = await makeWallet(network, 'A developer')
  await enroll(developer, 'Demo')
  const { bytes, manifestAddress: worker } = echoArtifact('demo_echo')
  await uploadWorker(developer, { address: worker, bytes })
  const { profile, contracts } = network
  const token = contracts?.token ?? ''
  const texts = {
    slug: `demo-${developer.address.slice(2, 10)}`,
    name: 'Demo',
    tagline: 'Returns its input',
    description: 'The project of the demo: its function echo answers its input.',
  }
  const parts = { profile, developer: developer.address, worker, functions: ['echo'], token, vault: token }
  // The vault in it is a guess: the hub names the right one.
  const projectId = await registerProject(network, developer, manifestLike(texts, parts))

  printStep('An operator approves the project')
  const operator = await signIn(network, privateKeys.operator)
  const params = { path: { project_id: projectId } }
  await operator.client.call('POST /admin/v1/projects/{project_id}/review', {
    ...params,
    body: { action: 'approve' },
  })
  await waitForRecord(
    'the review to be applied',
    developer,
    'GET /v1/projects/{project_id}',
    params,
    ({ listing_status }) => listing_status === 'listed',
  )
  await fundProject(network, developer, projectId, undefined, fundsWei)
  return projectId
}
