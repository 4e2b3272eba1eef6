import { hasWrongChecksum, isAddress } from '../../../protocol/encoding/index.ts'
import {
  bindingSkewSeconds,
  formatBindingCode,
  hashBinding,
  parseBindingMessage,
} from '../../../protocol/identity/index.ts'
import { checkPersonalSignature, signPersonalMessage } from '../../../protocol/signatures/index.ts'
import { askForText } from '../binding/binding-text.ts'
import { type OwnerKey, readOwnerKey } from '../binding/owner-key.ts'
import { dropPendingText, keepPendingText, readPendingText } from '../binding/pending-text.ts'
import { nodeSignature, sendBinding } from '../binding/send-binding.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { CliError, UsageError } from '../cli/errors.ts'
import { type NodeAtHub, nodeAtHubSettings, openNodeAtHub } from '../cli/node-at-hub.ts'
import { printJson, tell } from '../cli/output.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { shellWord } from '../cli/shell-word.ts'
import { writeOutput } from '../cli/standard-streams.ts'

export default defineNodectlCommand({
  args: {
    ...settingArguments(nodeAtHubSettings),
    owner: {
      type: 'string',
      valueHint: '0x…',
      description: 'Address of the wallet; not needed with --owner-key-file',
    },
    signature: {
      type: 'string',
      valueHint: '0x…',
      description: "The wallet's signature over the text that bind printed before",
    },
    'owner-key-file': {
      type: 'string',
      valueHint: 'FILE',
      description: 'Sign with the wallet key in this file: 64 hex digits, readable only by you',
    },
    json: { type: 'boolean', description: 'Print the text to sign as JSON too' },
  },
  async run({ args }) {
    const { signature } = args
    if (signature !== undefined && args['owner-key-file'] !== undefined)
      throw new UsageError('--signature and --owner-key-file cannot be used together')
    const key = args['owner-key-file'] === undefined ? null : readOwnerKey(args['owner-key-file'])
    const owner = readOwner(args.owner, key)
    if (signature === undefined && owner === null)
      throw new UsageError(
        'the wallet is missing: give its address with --owner, or its key with --owner-key-file',
      )
    const at = await openNodeAtHub(args)
    if (signature !== undefined) return printJson(await finish(at, owner, signature))
    const message = await askForText(
      at.client,
      at.profile,
      { action: 'bind', owner: owner!, public_key: at.node.publicKey },
      at.clock,
    )
    if (key !== null)
      return printJson(await sendBinding(at, message, signPersonalMessage(key.privateKey, message)))
    keepPendingText(at.dataDir, { hub: at.client.origin, message })
    if (args.json) printJson(describeText(at, message))
    else writeOutput(`${message}\n`)
    tell(
      `Sign this text with the wallet ${owner} (personal_sign), within ${bindingSkewSeconds / 60} minutes. Then:`,
    )
    tell(`nodectl bind --data-dir ${shellWord(at.dataDir)} --hub-url ${at.client.origin} --signature 0x…`)
    tell(
      `Or sign in a browser, which needs no further command here: ${at.client.origin}/me#${codeOf(at, message)}`,
    )
  },
  environment: settingEnvironment(nodeAtHubSettings),
  examples: [
    [
      'bind --data-dir ./node --hub-url https://hub.example --owner 0x…',
      "Print the text for the owner's wallet",
    ],
    ['bind --data-dir ./node --hub-url https://hub.example --signature 0x…', 'Bind with its signature'],
    [
      'bind --data-dir ./node --hub-url https://hub.example --owner-key-file wallet.key',
      'Do both at once, if you have the key of the wallet',
    ],
  ],
})

/** The wallet in lower case; null when neither an address nor a key is given. @throws {@link UsageError} */
function readOwner(text: string | undefined, key: OwnerKey | null): string | null {
  const owner = text?.toLowerCase()
  if (owner !== undefined && !isAddress(owner))
    throw new UsageError(`--owner must be an address of 0x and 40 hex digits, not ${text}`)
  if (text !== undefined && hasWrongChecksum(text))
    throw new UsageError(
      `--owner must be an address with a correct checksum, not ${text}; check it for typing errors`,
    )
  if (key !== null && owner !== undefined && owner !== key.address)
    throw new UsageError(`--owner is ${owner}, and the key in --owner-key-file is that of ${key.address}`)
  return key?.address ?? owner ?? null
}

const describeText = (at: NodeAtHub, message: string) => {
  const { owner, issued_at } = parseBindingMessage(at.profile, message)!
  return {
    message,
    binding_hash: hashBinding(message),
    owner,
    node_id: at.nodeId,
    public_key: at.node.publicKey,
    sign_until: issued_at + bindingSkewSeconds,
    code: codeOf(at, message),
  }
}

/** The text with the signature of this node: the wallet that it names has to sign too, so it need not be kept secret. */
const codeOf = (at: NodeAtHub, message: string): string =>
  formatBindingCode({
    ...parseBindingMessage(at.profile, message)!,
    node_signature: nodeSignature(at, message),
  })

/** Binds with the signature of a wallet over the text that waits for it. @throws {@link CliError} */
async function finish(at: NodeAtHub, owner: string | null, signature: string) {
  const { hub, message } = readPendingText(at.dataDir)
  const fields = parseBindingMessage(at.profile, message)
  if (hub !== at.client.origin || fields === null || fields.public_key !== at.node.publicKey)
    throw new CliError(
      'no_text',
      `the text that waits for a signature is for another hub, network or key (${hub})`,
      {
        hint: 'Get one for this hub: the same command without --signature.',
      },
    )
  if (owner !== null && owner !== fields.owner)
    throw new UsageError(
      `--owner is ${owner}, and the text that waits for a signature is for ${fields.owner}`,
    )
  const check = checkPersonalSignature(message, signature.toLowerCase(), fields.owner)
  if (!check.ok)
    throw new CliError('bad_signature', `this is not a signature of ${fields.owner} over the text`, {
      hint: 'Sign the eight lines as printed, without a line break after the last one, with personal_sign.',
    })
  const device = await sendBinding(at, message, check.normalized)
  dropPendingText(at.dataDir)
  return device
}
