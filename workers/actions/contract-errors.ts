import { formatUnits } from 'viem'
import type { RevertReason } from '../../durable-objects/relayer/revert-reason.ts'
import type { Token } from '../stores/schema/index.ts'

export type AmountToken = Pick<Token, 'symbol' | 'decimals'>

/** An amount of base units as people read it: "1.5 HUB". */
export const amountText = (baseUnits: string | bigint, { symbol, decimals }: AmountToken): string =>
  `${formatUnits(BigInt(baseUnits), decimals)} ${symbol}`

export const timeText = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z')

type Sentence = (args: readonly string[], token: AmountToken) => string

const freshPayload = 'Ask for a fresh payload and sign that.'
/** The states of a subscription in the staking contract. */
const states = ['has no collateral', 'is bonded', 'is unbonding']
const plain = (text: string) => () => text
const invalidSignature = plain(`A signature over this action is not from the account. ${freshPayload}`)

/** The sentences for errors with which a contract refuses a signed action. Other errors are shown by name. */
const sentences: Readonly<Record<string, Sentence>> = {
  AlreadyRegistered: ([project]) => `The project ${project} is registered already.`,
  BelowMinimum: ([, collateral = '0', least = '0'], token) =>
    `A subscription needs at least ${amountText(least, token)} of collateral; with this bond it has ${amountText(collateral, token)}.`,
  DeadlineTooFar: plain(`The deadline is more than a week ahead. ${freshPayload}`),
  ECDSAInvalidSignature: invalidSignature,
  ECDSAInvalidSignatureLength: invalidSignature,
  ECDSAInvalidSignatureS: invalidSignature,
  ERC20InsufficientAllowance: ([, allowance = '0', needed = '0'], token) =>
    `The wallet allows the staking contract to move only ${amountText(allowance, token)} of the ${amountText(needed, token)}. Sign the permit, or approve the amount.`,
  ERC20InsufficientBalance: ([, balance = '0', needed = '0'], token) =>
    `The wallet holds ${amountText(balance, token)} of the ${amountText(needed, token)} to be moved.`,
  ERC2612ExpiredSignature: plain(`The permit has expired. ${freshPayload}`),
  // The hub has checked the permit's signature itself, so this says that the token expects another nonce.
  ERC2612InvalidSigner: plain(
    `The nonce of the permit is not the current nonce of the account in the token. ${freshPayload}`,
  ),
  InvalidAccountNonce: plain(`A signed nonce is not the current nonce of the account. ${freshPayload}`),
  InvalidSignature: invalidSignature,
  InvalidSlug: ([slug]) => `The registry does not accept the slug ${slug}.`,
  InvalidState: ([subscription, state]) =>
    `The subscription ${subscription} ${states[Number(state)] ?? `is in state ${state}`}, which does not allow this.`,
  NotDeveloper: ([project, account]) => `${account} is not the developer of the project ${project}.`,
  NotOwner: ([subscription, account]) => `${account} is not the owner of the subscription ${subscription}.`,
  NotReleased: ([, releaseAt]) => `The collateral is unbonding until ${timeText(Number(releaseAt))}.`,
  SafeERC20FailedOperation: ([token]) => `The token ${token} refuses the transfer.`,
  SignatureExpired: plain(`The signature has expired. ${freshPayload}`),
  SlashOpen: ([, open]) => `Slashes of the subscription are not decided yet: ${open}.`,
  TooMuchGas: ([gas, gasMax]) =>
    `This takes ${gas} gas, and the hub pays for at most ${gasMax}. Send the transaction of \`direct_tx\` yourself.`,
  UnknownProject: ([project]) => `The project ${project} is not registered.`,
  VersionNotNewer: ([current]) =>
    `Version ${current} is published, and the registry accepts only later versions.`,
  ZeroAmount: plain('The amount must be above 0.'),
}

export const explainedErrors: readonly string[] = Object.keys(sentences)

/** Why a contract refuses an action, as a sentence. */
export function refusalText({ name, args, text }: RevertReason, token: AmountToken): string {
  const sentence = Object.hasOwn(sentences, name ?? '') ? sentences[name ?? ''] : undefined
  return sentence?.(args, token) ?? `The contract refuses this: ${text}.`
}
