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
  /** What token records show. */
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
