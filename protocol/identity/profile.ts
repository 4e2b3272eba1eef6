/**
 * The names of a deployment (section 1). Every branded string of the protocol is derived from these members, so renaming
 * a deployment changes all derivations together and no other file contains a name.
 */
export interface Profile {
  /** Display name, first word of device records and typed-data domains. */
  readonly service: string
  /** Head of every byte tag and signing text. */
  readonly prefix: string
  readonly node_id_prefix: string
  readonly network: string
  readonly chain_id: number
  readonly token_symbol: string
  /** The name that token records show. */
  readonly token_name: string
  /** Only the EIP-712 domain name of the token's permit; it differs from `token_name`. */
  readonly permit_name: string
  /** Head of the five request-signing headers. */
  readonly header_prefix: string
  readonly session_token_prefix: string
  readonly api_key_prefix: string
}

/** Any members of a profile; those left out follow from the others. */
export type GivenProfile = { readonly [Member in keyof Profile]?: Profile[Member] | undefined }

type TextMember = Exclude<keyof Profile, 'chain_id'>

const title = [
  /^[!-~](?:[ -~]{0,62}[!-~])?$/,
  'must be 1 to 64 printable ASCII characters without spaces around them',
] as const
const word = [
  /^[a-z][a-z0-9-]{0,31}$/,
  'must be 1 to 32 of a-z, 0-9 and hyphens, with a letter first',
] as const
const secretHead = [/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 of A-Z, a-z, 0-9, _ and hyphens'] as const

/** The rule for each text of a profile, valid for all its uses: in headers, tokens, signed texts and names of contracts. */
const textRules: Readonly<Record<TextMember, readonly [pattern: RegExp, rule: string]>> = {
  service: title,
  prefix: word,
  node_id_prefix: word,
  network: [/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and hyphens'],
  token_symbol: [
    /^[A-Za-z][\w.$-]{0,30}$/,
    'must be 1 to 31 letters, digits and . _ $ -, with a letter first',
  ],
  token_name: title,
  permit_name: title,
  header_prefix: [
    /^[A-Za-z][A-Za-z0-9-]{0,62}$/,
    'must be 1 to 63 letters, digits and hyphens, with a letter first',
  ],
  session_token_prefix: secretHead,
  api_key_prefix: secretHead,
}

export interface ProfileProblem {
  readonly member: string
  readonly message: string
}

/** A profile from data of others, such as a file or a descriptor; or every member that it cannot have. */
export function readProfile(
  given: unknown,
): { readonly profile: Profile } | { readonly problems: readonly ProfileProblem[] } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problems: [{ member: '', message: 'must be a JSON object with the names of a network' }] }
  const members = ['chain_id', ...Object.keys(textRules)]
  const problems = Object.keys(given).flatMap((member) =>
    members.includes(member) ? [] : [{ member, message: `is not known; known are ${members.join(', ')}` }],
  )
  const refuse = (member: keyof Profile, message: string) => problems.push({ member, message })
  const { chain_id } = given as GivenProfile
  if (chain_id !== undefined && !(Number.isSafeInteger(chain_id) && chain_id > 0))
    refuse('chain_id', 'must be a whole number above 0')
  const profile = resolveProfile(
    Object.fromEntries(
      Object.entries(given).filter(([member, value]) => {
        const isText = member === 'chain_id' || typeof value === 'string'
        if (!isText && members.includes(member)) refuse(member as TextMember, 'must be a text')
        return isText
      }),
    ),
  )
  for (const [member, [pattern, rule]] of Object.entries(textRules) as [
    TextMember,
    readonly [RegExp, string],
  ][])
    if (!pattern.test(profile[member]))
      refuse(member, member in given ? rule : `${rule}: it follows from other members, so set it`)
  const { session_token_prefix: session, api_key_prefix: key } = profile
  if (session.startsWith(key) || key.startsWith(session))
    refuse('api_key_prefix', 'must not begin with session_token_prefix, nor session_token_prefix with it')
  return problems.length > 0 ? { problems } : { profile }
}

/** The problems of a profile, in one line. */
export const describeProfileProblems = (problems: readonly ProfileProblem[]): string =>
  problems.map(({ member, message }) => `${member} ${message}`.trim()).join('; ')

/**
 * Completes a profile from the members a deployment sets.
 *
 * Members are resolved in the order of the table, because a left-out one may follow from another left-out one:
 * `permit_name` from `token_symbol`, that from `prefix`, and that from `service`.
 */
export function resolveProfile(given: GivenProfile = {}): Profile {
  const service = given.service ?? 'Hub'
  const prefix = given.prefix ?? service.toLowerCase()
  const tokenSymbol = given.token_symbol ?? prefix.toUpperCase()
  return {
    service,
    prefix,
    node_id_prefix: given.node_id_prefix ?? 'node-',
    network: given.network ?? `${prefix}-testnet`,
    chain_id: given.chain_id ?? 31337,
    token_symbol: tokenSymbol,
    token_name: given.token_name ?? `${service} (testnet)`,
    permit_name: given.permit_name ?? `${tokenSymbol} (testnet)`,
    header_prefix: given.header_prefix ?? `X-${service}-`,
    session_token_prefix: given.session_token_prefix ?? `${prefix}sess_`,
    api_key_prefix: given.api_key_prefix ?? `${prefix}_test_`,
  }
}

/**
 * Derives every branded string of a profile, one member per row of the table of derived strings in section 1. A pure
 * concatenation: nothing is trimmed or checked.
 */
export function profileStrings(profile: Profile) {
  const { service, prefix, header_prefix: header } = profile
  return {
    /** Byte tag of project ids (section 4). */
    project: `${prefix}-project-v1:`,
    /** Byte tag of proof ids (section 4). */
    proof: `${prefix}-proof-v1:`,
    /** Byte tag of the beacon, without separator (section 12). */
    beacon: `${prefix}-beacon-v1`,
    /** Byte tag of the sortition seed, without separator (section 14). */
    sortition: `${prefix}-sortition-v1`,
    /** Byte tag of the audit draw, without separator (section 20). */
    audit: `${prefix}-audit-v1`,
    /** Byte tag of a module's state root, without separator (section 16). */
    state: `${prefix}-state-v1`,
    /** Text before the binding hash, for bind and unbind alike (section 9). */
    bind: `${prefix}-bind-v1:`,
    /** Text before the set hash in a snapshot attestation (section 13). */
    set: `${prefix}-set-v1:`,
    /** Byte tag of a generation of validators, and the text before its hash in a signature (section 13). */
    validators: `${prefix}-validators-v1:`,
    /** Text before the receipt hash of an execution (section 16). */
    receipt: `${prefix}-receipt-v1:`,
    /** Text before the finality hash (section 19). */
    finality: `${prefix}-finality-v1:`,
    /** Text before the receipt hash of module rewards (section 16). */
    reward_v1: `${prefix}-reward-v1:`,
    /** Text before the receipt hash of an epoch (section 23). */
    reward_v2: `${prefix}-reward-v2:`,
    /** First line of a vote text (section 17). */
    vote_line: `${prefix}-vote-v1`,
    /** First line of a signed request (section 10). */
    request_line: `${prefix}-node-req-v1`,
    /** First line of a device record that binds (section 9). */
    bind_line: `${service}: bind mining device`,
    /** First line of a device record that unbinds (section 9). */
    unbind_line: `${service}: unbind mining device`,
    /** Statement of the sign-in message (section 7). */
    siwe_statement: `Sign in to ${service} testnet.`,
    /** EIP-712 domain name of the project registry (section 8). */
    registry_domain: `${service} ProjectRegistry`,
    /** EIP-712 domain name of the staking contract (section 8). */
    staking_domain: `${service} Staking`,
    /** EIP-712 domain name of the token's permit (section 8). */
    permit_domain: profile.permit_name,
    /** Request header with the node id (section 10). */
    node_header: `${header}Node`,
    /** Request header with the public key (section 10). */
    public_key_header: `${header}Public-Key`,
    /** Request header with the Unix seconds (section 10). */
    timestamp_header: `${header}Timestamp`,
    /** Request header with the nonce (section 10). */
    nonce_header: `${header}Nonce`,
    /** Request header with the signature (section 10). */
    signature_header: `${header}Signature`,
    /** Request header with the ticket of a node that comes back (section 27). */
    ticket_header: `${header}Ticket`,
    /** Member `protocol` of the descriptor. */
    descriptor_protocol: `${prefix}/1`,
    /** Subprotocol of the relay WebSocket with frames of version 1 (section 27). */
    relay_subprotocol: `${prefix}-relay.v1`,
    /** The same with frames of versions 2 and 3. */
    relay_subprotocol_2: `${prefix}-relay.v2`,
    relay_subprotocol_3: `${prefix}-relay.v3`,
    relay_subprotocol_4: `${prefix}-relay.v4`,
    /** Member of the token in `chain.contracts`. */
    token_member: `${prefix}_token`,
    /** Balance field of the collateral summary. */
    balance_field: `${prefix}_balance`,
  }
}
