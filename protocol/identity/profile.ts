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

/** The strings that follow from a profile, one member per row of the table of derived strings in section 1. */
export interface ProfileStrings {
  /** Byte tag of project ids (section 4). */
  readonly project: string
  /** Byte tag of proof ids (section 4). */
  readonly proof: string
  /** Byte tag of the beacon, without separator (section 12). */
  readonly beacon: string
  /** Byte tag of the sortition seed, without separator (section 14). */
  readonly sortition: string
  /** Byte tag of the audit draw, without separator (section 20). */
  readonly audit: string
  /** Byte tag of a module's state root, without separator (section 16). */
  readonly state: string
  /** Text before the binding hash, for bind and unbind alike (section 9). */
  readonly bind: string
  /** Text before the set hash in a snapshot attestation (section 13). */
  readonly set: string
  /** Byte tag of a generation of validators, and the text before its hash in a signature (section 13). */
  readonly validators: string
  /** Text before the receipt hash of an execution (section 16). */
  readonly receipt: string
  /** Text before the finality hash (section 19). */
  readonly finality: string
  /** Text before the receipt hash of module rewards (section 16). */
  readonly reward_v1: string
  /** Text before the receipt hash of an epoch (section 23). */
  readonly reward_v2: string
  /** First line of a vote text (section 17). */
  readonly vote_line: string
  /** First line of a signed request (section 10). */
  readonly request_line: string
  /** First line of a device record that binds (section 9). */
  readonly bind_line: string
  /** First line of a device record that unbinds (section 9). */
  readonly unbind_line: string
  /** Statement of the sign-in message (section 7). */
  readonly siwe_statement: string
  /** EIP-712 domain name of the project registry (section 8). */
  readonly registry_domain: string
  /** EIP-712 domain name of the staking contract (section 8). */
  readonly staking_domain: string
  /** EIP-712 domain name of the token's permit (section 8). */
  readonly permit_domain: string
  /** Request header with the node id (section 10). */
  readonly node_header: string
  /** Request header with the public key (section 10). */
  readonly public_key_header: string
  /** Request header with the Unix seconds (section 10). */
  readonly timestamp_header: string
  /** Request header with the nonce (section 10). */
  readonly nonce_header: string
  /** Request header with the signature (section 10). */
  readonly signature_header: string
  /** Member `protocol` of the descriptor. */
  readonly descriptor_protocol: string
  /** Subprotocol of the relay WebSocket. */
  readonly relay_subprotocol: string
  /** Member of the token in `chain.contracts`. */
  readonly token_member: string
  /** Balance field of the collateral summary. */
  readonly balance_field: string
}

/** Derives every branded string of a profile. A pure concatenation: nothing is trimmed or checked. */
export function profileStrings(profile: Profile): ProfileStrings {
  const { service, prefix, header_prefix: header } = profile
  return {
    project: `${prefix}-project-v1:`,
    proof: `${prefix}-proof-v1:`,
    beacon: `${prefix}-beacon-v1`,
    sortition: `${prefix}-sortition-v1`,
    audit: `${prefix}-audit-v1`,
    state: `${prefix}-state-v1`,
    bind: `${prefix}-bind-v1:`,
    set: `${prefix}-set-v1:`,
    validators: `${prefix}-validators-v1:`,
    receipt: `${prefix}-receipt-v1:`,
    finality: `${prefix}-finality-v1:`,
    reward_v1: `${prefix}-reward-v1:`,
    reward_v2: `${prefix}-reward-v2:`,
    vote_line: `${prefix}-vote-v1`,
    request_line: `${prefix}-node-req-v1`,
    bind_line: `${service}: bind mining device`,
    unbind_line: `${service}: unbind mining device`,
    siwe_statement: `Sign in to ${service} testnet.`,
    registry_domain: `${service} ProjectRegistry`,
    staking_domain: `${service} Staking`,
    permit_domain: profile.permit_name,
    node_header: `${header}Node`,
    public_key_header: `${header}Public-Key`,
    timestamp_header: `${header}Timestamp`,
    nonce_header: `${header}Nonce`,
    signature_header: `${header}Signature`,
    descriptor_protocol: `${prefix}/1`,
    relay_subprotocol: `${prefix}-relay.v1`,
    token_member: `${prefix}_token`,
    balance_field: `${prefix}_balance`,
  }
}
