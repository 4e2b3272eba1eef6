import type { ProblemKind } from '../wallet/problems.ts'
import { plural } from './words.ts'

/** Of dialogs, which are loaded when they open. */
export const wallet = {
  dialog: {
    title: 'Sign in with a wallet',
    titleAgain: 'Your session has ended',
    lead: 'Your wallet signs a short text with the name of this site. Nothing is sent to the chain.',
    leadAgain: (address: string) => `Sign in again as ${address} to go on. Your input stays.`,
    wallets: 'Wallets in this browser',
    none: 'No wallet has announced itself in this browser.',
    noneHint: 'Install one as an extension and load this page again. It must support EIP-6963, as most do.',
    development: 'Accounts of the local network',
    developmentHint: 'Everybody has their keys. They sign in this page, and only on a local network.',
    developmentName: (name: string) => name.replace(/^./, (first) => first.toUpperCase()),
    accounts: (name: string) => `Which account of ${name}?`,
    waits: (name: string) => `Confirm in ${name}.`,
    waitsHint: 'It shows the same text. If no window appears, open the wallet by hand.',
    text: 'The text that is signed',
    close: 'Close',
    back: 'Choose another wallet',
  },

  problems: {
    refused: [
      'You rejected it in the wallet',
      'Nothing was signed, and nothing was sent. Ask again when you are ready.',
    ],
    missing: [
      'The wallet is not here',
      'It has not announced itself in this tab. Unlock or enable it, load this page again, or sign in with another wallet.',
    ],
    other_account: [
      'The wallet does not show this account',
      'Choose the account that you signed in with in your wallet and allow this site to see it.',
    ],
    wrong_chain: ['The wallet is on another chain', 'It would sign for a network that is not this one.'],
    wallet: ['The wallet reports an error', 'Try again, or open the wallet by hand.'],
    reverted: [
      'The chain refused the transaction',
      'Nothing of it happened; its fee is paid. Those before it stay. Try again: what is done is not done twice.',
    ],
    replaced: [
      'The wallet sent something else instead',
      'You cancelled the transaction in the wallet, or replaced it. Nothing of it happened; those before it stay. Try again to send it once more.',
    ],
    unseen: [
      'The chain does not show the transaction',
      'Look for it in your wallet before you send it again. “Try again” waits for it once more and sends nothing. If the wallet says that it did not happen, close this, forget it and begin again.',
    ],
    unsure: [
      'This page does not know whether the wallet sent it',
      'The page was closed while the wallet asked you, and no block shows the transaction yet. Look in your wallet first. “Try again” looks for it once more and sends nothing.',
    ],
    fails_now: [
      'The chain would refuse this now',
      'Nothing was signed. Change what the reason names, then try again.',
    ],
    differs: [
      'This is not what you asked for',
      'The hub prepared something else, so nothing was signed. Do not repeat it; tell the operator of the hub.',
    ],
    clock: [
      'The clock of this device is wrong',
      'Nothing was signed. Have the device set its date and time by the network, then try again.',
    ],
    limited: ['Too many requests', 'The hub takes the next one in a moment. Nothing is lost.'],
    away: ['The hub does not answer', 'Nothing was signed. Try again when it is back.'],
    ended: ['Your session has ended', 'Sign in again to go on. Your input stays.'],
    other_session: [
      'Another wallet is signed in',
      'Nothing was signed. Sign in with the wallet that you asked this with, or close this and ask again.',
    ],
    lost: [
      'The answer was lost',
      'It was signed, and the hub may have taken it. Look whether it has before you sign it again.',
    ],
    other: ['This did not work', 'The message says why.'],
  } satisfies Record<ProblemKind, [string, string]> as Record<ProblemKind, [title: string, hint: string]>,
  again: 'Try again',
  againIn: (seconds: number) => `Try again in ${seconds} s`,
  switchTo: (chain: string) => `Switch to ${chain}`,

  sign: {
    preparing: 'The hub prepares what you sign. This takes about a second.',
    effects: 'What will happen',
    doubt: 'The chain did not say whether it accepts this now.',
    fields: 'What you sign',
    asAsked: 'as you asked',
    compared:
      'This page compared every marked field with your request. A field that differs would have stopped it.',
    chain: 'Chain',
    contract: 'Contract',
    free: 'Gasless: you pay no fee.',
    cost: (fee: string) => `Gasless: the hub sends it and pays the fee of ${fee}. You pay none.`,
    signatures: (count: number) =>
      count === 1
        ? 'Your wallet asks once.'
        : `Your wallet asks for ${plural(count, 'signature')}: the action, then a permit for exactly this amount.`,
    do: 'Sign',
    cancel: 'Cancel',
    close: 'Close',
    wallet: (name: string) => `Confirm in ${name}`,
    which: (one: number, all: number) => `(${one} of ${all})`,
    walletHint: 'The wallet shows the same fields. If no window appears, open it by hand.',
    sending: 'Handing it to the hub',
    goesOn:
      'You can close this. It goes on, and the pages “My devices” and “Build” show it until it is over.',
    done: 'Done',
    doneHint: 'The hub has taken it.',
    /** Names of signed members. */
    names: {
      owner: 'Owner',
      developer: 'Developer',
      projectId: 'Project',
      subscriptionId: 'Subscription',
      nodeKey: 'Key of the device',
      amount: 'Amount',
      payout: 'Pays to',
      slug: 'Short name',
      worker: 'Module',
      version: 'Version',
      consensusHash: 'Hash of the rules',
      manifestHash: 'Hash of the manifest',
      nonce: 'Nonce (counts your actions)',
      deadline: 'Valid until',
      action: 'Action',
      node_id: 'Device',
      public_key: 'Key of the device',
      issued_at: 'Written',
    } as Record<string, string>,
  },

  transaction: {
    title: 'Signed actions',
    steps: {
      queued: 'Waits at the hub',
      sent: 'On its way to the chain',
      confirmed: 'On the chain; the hub reads it',
      indexed: 'Done',
      reverted: 'The chain refused it',
      failed: 'The hub could not send it',
    } as Record<string, string>,
    usual: 'This usually takes 5 to 30 seconds.',
    unknown: 'The hub does not have it',
    unknownHint: 'It was signed but has not arrived, so nothing happened. Sign it again.',
    askAgain: 'Ask the hub again',
    hash: 'Transaction',
    remove: 'Remove from this list',
    reading: 'Asking the hub',
  },
}
