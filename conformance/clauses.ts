/** One rule of the protocol that the kit can see kept or broken from outside. */
export interface Clause {
  /** Stable: `N` for nodes, `V` for validators, `H` for hubs, then group and number. A number is never given to another rule. */
  readonly number: string
  readonly sentence: string
  /** Section of the protocol. */
  readonly section: number
}

const clause = (number: string, section: number, sentence: string): Clause => ({ number, section, sentence })

/** The clauses for a node that takes tasks. */
export const nodeClauses: readonly Clause[] = [
  clause('N1.1', 10, 'Every signed request has the five headers, with the key and id of the node'),
  clause('N1.2', 10, 'The timestamp of a signed request is within max_skew of network time'),
  clause('N1.3', 10, 'Every signed request has a different nonce'),
  clause('N1.4', 10, 'The signature of a request covers its method, target, timestamp, nonce and body'),
  clause('N1.5', 27, 'The upgrade request offers a subprotocol of the link'),
  clause('N1.6', 27, 'The node sends ready as its first frame on a socket'),
  clause('N1.7', 27, 'The next upgrade request contains the ticket of the last hello'),
  clause('N1.8', 27, 'The node reconnects after a lost socket'),
  clause('N1.9', 27, 'The node reconnects after a close with 1012'),
  clause('N1.10', 27, 'The node does not reconnect after a close with 4001'),
  clause('N1.11', 27, 'The node accepts no work from a hub with other network parameters'),

  clause('N2.1', 2, 'Every frame is a text message with one JSON object that the strict reader accepts'),
  clause('N2.2', 27, 'Every frame has a known type and exactly the members of that type'),
  clause('N2.3', 27, 'A frame without output is at most relay_max_control_bytes long'),
  clause('N2.4', 27, 'The node ignores unknown members of a frame'),
  clause('N2.5', 27, 'One invalid frame does not close the socket'),
  clause('N2.6', 27, 'Each answer names an offer that this hub sent'),

  clause('N3.1', 27, 'The node accepts or declines every offer'),
  clause('N3.2', 27, 'The node accepts an offer before it sends the vote'),
  clause('N3.3', 27, 'If a slot is free, the node accepts an offer that passes all checks'),
  clause('N3.4', 27, 'The node votes on every accepted offer'),
  clause('N3.5', 27, 'The node never has more accepted offers without a vote than slots'),
  clause('N3.6', 14, 'The node declines an offer whose position differs from the draw'),
  clause('N3.7', 14, 'The node declines an offer whose role differs from the draw'),
  clause('N3.8', 15, 'The node declines an offer whose input does not match input_hash'),
  clause('N3.9', 13, 'The node declines an offer whose set does not match set_hash of the task'),
  clause('N3.10', 13, 'The node declines an offer if no quorum of validators attested its set'),
  clause('N3.11', 6, 'The node declines an offer if the developer did not sign the project rules'),
  clause('N3.12', 15, 'The node declines an offer for a function that the project rules do not list'),
  clause('N3.13', 15, 'The node declines an offer whose gas_limit exceeds max_gas_limit'),
  clause('N3.14', 15, 'The node declines an offer whose task was issued outside its epoch'),
  clause('N3.15', 16, 'The node declines an offer whose module does not match module_address'),
  clause('N3.16', 16, 'The node declines an offer whose module uses storage'),
  clause('N3.17', 27, 'The node does not accept an offer after its accept_by'),
  clause('N3.18', 27, "The node declines an offer whose input_url is not at the hub's origin"),
  clause('N3.19', 27, 'The node fetches an input above 256 KiB from its input_url'),
  clause(
    'N3.20',
    13,
    'The node does not accept an offer if the coordinator did not sign the validator generation',
  ),

  clause('N4.1', 17, 'A vote has exactly the members of a task vote'),
  clause('N4.2', 17, 'public_key and node_id of a vote are those of the node'),
  clause('N4.3', 17, 'signature covers receipt_hash'),
  clause('N4.4', 17, 'round_signature covers the kind, round_id, receipt_hash and payout_address'),
  clause('N4.5', 17, 'task equals the task of the offer, and round_id is its hash'),
  clause('N4.6', 17, 'receipt_hash is the hash of the receipt'),
  clause('N4.7', 17, 'module_address, function and input_hash of the receipt equal those of the task'),
  clause('N4.8', 17, "payout_address equals that of the node's entry in the set"),
  clause('N4.9', 17, "committee.position is the node's place in the draw"),
  clause('N4.10', 16, 'The output and events sent with a vote match the hashes in its receipt'),
  clause('N4.11', 16, 'The output is correct'),
  clause('N4.12', 16, 'The events are correct'),
  clause('N4.13', 16, 'gas_used is correct'),
  clause('N4.14', 16, 'success is correct'),
  clause('N4.15', 27, 'The node sends error only for failed runs, and only to hubs with frames of version 4'),

  clause('N5.1', 17, 'A node never sends two different votes in one round'),
  clause('N5.2', 27, 'The node answers a repeated offer with the same vote'),
  clause('N5.3', 27, 'holding lists each accepted offer until the hub sends voted or cancel, and no other'),
  clause('N5.4', 27, 'After a lost socket, the node sends a vote again until the hub sends voted'),
  clause('N5.5', 27, 'A killed and restarted node sends the same vote again'),
]

/** The clauses for a validator. */
export const validatorClauses: readonly Clause[] = [
  // A validator signs its requests to the hub as any node does (section 10).
  ...nodeClauses.filter(({ section }) => section === 10),

  clause('V1.1', 10, 'A call without a signature is refused with 401'),
  clause('V1.2', 10, 'A call with an invalid signature is refused with 401'),
  clause('V1.3', 10, 'A call with a timestamp beyond max_skew is refused with 401'),
  clause('V1.4', 10, 'A call that reuses a nonce is refused with 401'),
  clause(
    'V1.5',
    10,
    'A call from a signer that is neither the coordinator nor a validator is refused with 401 or 403',
  ),

  clause('V2.1', 13, 'The validator attests a valid set'),
  clause('V2.2', 13, "An attestation has the validator's key and id, and its signature covers set_hash"),
  clause('V2.3', 13, 'The validator rejects a set with other network parameters'),
  clause('V2.4', 13, 'The validator rejects a set whose entries are not sorted'),
  clause('V2.5', 13, 'The validator rejects a set whose weight_cap does not match its project rules'),
  clause('V2.6', 12, 'The validator rejects a set whose beacon does not match its block'),
  clause('V2.7', 13, 'The validator rejects a set of an epoch far in the future'),
  clause('V2.8', 6, 'The validator rejects a set if the developer did not sign the project rules'),
  clause('V2.9', 13, 'The validator rejects a second set of a project and epoch'),
  clause('V2.10', 13, 'A killed and restarted validator attests no second set'),

  clause(
    'V3.1',
    19,
    'If the committee agreed, the validator sends a finality vote with exactly the defined members',
  ),
  clause('V3.2', 17, 'public_key and node_id of a finality vote are those of the validator'),
  clause('V3.3', 19, 'signature covers the hash of the finality record'),
  clause(
    'V3.4',
    17,
    'round_signature covers the kind, round_id, receipt_hash and the hash of the finality record',
  ),
  clause('V3.5', 19, 'round_id, project_id, epoch and set_hash of a record are those of the task'),
  clause('V3.6', 18, 'receipt_hash and gas_used of a record are the values that the committee agreed on'),
  clause('V3.7', 19, 'voters of a record lists the members that agreed, in ascending order by key'),
  clause('V3.8', 20, 'audited of a record is true if and only if the round must be audited'),
  clause(
    'V3.9',
    20,
    "The record of an audited round has the validator's own result and credits only members with that result",
  ),
  clause('V3.10', 18, 'The validator counts no vote that its member did not sign'),
  clause('V3.11', 18, 'The validator counts no vote from a key that was not drawn'),
  clause('V3.12', 15, "The validator rejects a task that breaks its project's rules"),
  clause('V3.13', 13, 'The validator rejects a task whose set is not the attested one'),
  clause('V3.14', 15, 'The validator rejects a round whose input does not match input_hash'),
  clause('V3.15', 20, 'The validator rejects a round whose audit block is not after agreed_at'),
  clause('V3.16', 19, 'Every later request for a round gets the same finality vote'),
  clause('V3.17', 19, 'A killed and restarted validator sends the same finality vote again'),
]

/** The clauses for a hub. */
export const hubClauses: readonly Clause[] = [
  clause('H1.1', 1, 'The descriptor names protocol, network and chain'),
  clause('H1.2', 5, 'params_hash is the hash of the network parameters'),
  clause('H1.3', 25, 'An error has error, message, details and request_id; an unknown path gives not_found'),

  clause('H2.1', 10, 'A signed request without one of its headers is refused with 401'),
  clause('H2.2', 10, 'A request with an invalid signature is refused with 401'),
  clause('H2.3', 10, 'A request whose node id does not belong to its key is refused with 401'),
  clause('H2.4', 10, 'A timestamp beyond max_skew is refused with 401'),
  clause('H2.5', 10, 'A reused nonce is refused with 401'),
  clause('H2.6', 27, 'A key that is neither bound nor approved is refused with 401 or 403'),
  clause('H2.7', 27, 'A request without upgrade or without a known subprotocol is refused with 426'),

  clause('H3.1', 27, 'The hub selects the newest common subprotocol'),
  clause('H3.2', 27, 'The hub sends hello first, with network time and the hash of the parameters'),
  clause('H3.3', 27, 'hello has the members of version 2 if and only if the version is 2 or later'),
  clause('H3.4', 27, 'A ping gets the exact pong text'),
  clause('H3.5', 2, 'The hub answers a frame that is not JSON with the error bad_request'),
  clause('H3.6', 27, 'The hub answers an unknown member or type with the error invalid_field'),
  clause('H3.7', 27, 'The hub answers a control frame that is too large with the error too_large'),
  clause('H3.8', 27, 'After the third invalid frame, the hub closes the socket with 1008'),
  clause('H3.9', 27, 'An answer to an offer that is not open gets an error or a cancel that names the offer'),
  clause('H3.10', 27, 'A second socket of the same key closes the first with 4001'),
  // H3.11 is taken: numbers are never given again.

  clause('H4.1', 27, 'A drawn device gets an offer with exactly the defined members'),
  clause('H4.2', 15, 'The task of an offer follows the rules of its project, which the developer signed'),
  clause(
    'H4.3',
    13,
    'A quorum of the validators of the epoch attested the set of an offer, and every generation from the first on is signed',
  ),
  clause('H4.4', 14, 'The position and role of an offer match the draw'),
  clause('H4.5', 15, 'The input of an offer matches input_hash of its task'),
  clause('H4.6', 27, 'The hub sends an offer again if holding of ready does not list it, and only then'),
  clause('H4.7', 27, 'The hub answers a valid vote and its repetition with voted'),
  clause('H4.8', 17, 'The hub answers an invalid vote with an error that names its offer'),
  clause('H4.9', 19, 'A round becomes final with the receipt that its committee agreed on'),
]
