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
  clause('N1.1', 10, 'Every signed request has the five headers, with the key and the id of the node'),
  clause('N1.2', 10, 'The timestamp of a signed request is within max_skew of network time'),
  clause('N1.3', 10, 'No two signed requests have the same nonce'),
  clause('N1.4', 10, 'The signature of a request covers its method, target, time, nonce and body'),
  clause('N1.5', 27, 'The upgrade request offers a subprotocol of the link'),
  clause('N1.6', 27, 'The first frame of a node on a socket is ready'),
  clause('N1.7', 27, 'The next upgrade request shows the ticket of the last hello'),
  clause('N1.8', 27, 'A node whose socket is lost connects again'),
  clause('N1.9', 27, 'A node whose socket is closed with 1012 connects again'),
  clause('N1.10', 27, 'A node whose socket is closed with 4001 stays away'),
  clause('N1.11', 27, 'A node takes no work from a hub with other network parameters'),

  clause('N2.1', 2, 'Every frame is a text of one JSON object that the strict reader takes'),
  clause('N2.2', 27, 'Every frame has a known type and exactly the members of that type'),
  clause('N2.3', 27, 'A frame without output has at most relay_max_control_bytes'),
  clause('N2.4', 27, 'Members of a frame that the node does not know are ignored'),
  clause('N2.5', 27, 'One frame that breaks a rule does not end the link'),
  clause('N2.6', 27, 'Answers name offers that this hub sent'),

  clause('N3.1', 27, 'Every offer is accepted or declined'),
  clause('N3.2', 27, 'The accept of an offer comes before its vote'),
  clause('N3.3', 27, 'An offer that passes all checks is accepted while a slot is free'),
  clause('N3.4', 27, 'Every accepted offer gets a vote'),
  clause('N3.5', 27, 'No more offers than slots are accepted and without a vote at once'),
  clause('N3.6', 14, 'An offer with another position than the draw is declined'),
  clause('N3.7', 14, 'An offer with another role than the draw is declined'),
  clause('N3.8', 15, 'An offer whose input has another hash than the task is declined'),
  clause('N3.9', 13, 'An offer over a set with another hash than the task names is declined'),
  clause('N3.10', 13, 'An offer over a set that no quorum of validators attested is declined'),
  clause('N3.11', 6, 'An offer whose project rules its developer did not sign is declined'),
  clause('N3.12', 15, 'An offer of a function that the project rules do not name is declined'),
  clause('N3.13', 15, 'An offer with more gas than the project rules allow is declined'),
  clause('N3.14', 15, 'An offer that was issued outside of its epoch is declined'),
  clause('N3.15', 16, 'An offer whose module has another address than the task names is declined'),
  clause('N3.16', 16, 'An offer of a module with storage is declined'),
  clause('N3.17', 27, 'An offer whose accept_by has passed is not accepted'),
  clause('N3.18', 27, 'An offer whose input is at another origin than the hub is declined'),
  clause('N3.19', 27, 'An input above 256 KiB is fetched from its input_url'),
  clause('N3.20', 13, 'An offer over a set of validators that the coordinator did not sign is not accepted'),

  clause('N4.1', 17, 'A vote has exactly the members of a task vote'),
  clause('N4.2', 17, 'public_key and node_id of a vote are those of the node'),
  clause('N4.3', 17, 'signature covers receipt_hash'),
  clause('N4.4', 17, 'round_signature covers the kind, round_id, receipt_hash and payout_address'),
  clause('N4.5', 17, 'task is that of the offer, and round_id is its hash'),
  clause('N4.6', 17, 'receipt_hash is the hash of the receipt'),
  clause('N4.7', 17, 'Module, function and input_hash of the receipt are those of the task'),
  clause('N4.8', 17, "payout_address is that of the node's entry in the set"),
  clause('N4.9', 17, "committee.position is the node's place in the draw"),
  clause('N4.10', 16, 'The output and events beside a vote have the hashes of its receipt'),
  clause('N4.11', 16, 'The output is right'),
  clause('N4.12', 16, 'The events are right'),
  clause('N4.13', 16, 'gas_used is right'),
  clause('N4.14', 16, 'success is right'),
  clause('N4.15', 27, 'error is sent only for failed runs, and only to hubs with frames of version 4'),

  clause('N5.1', 17, 'A node never sends two different votes in one round'),
  clause('N5.2', 27, 'An offer that comes again gets the same vote again'),
  clause('N5.3', 27, 'holding names each accepted offer until the hub said voted or cancel, and no other'),
  clause('N5.4', 27, 'After a lost socket a vote is sent again until the hub said voted'),
  clause('N5.5', 27, 'A node that was killed sends the same vote again'),
]

/** The clauses for a validator. */
export const validatorClauses: readonly Clause[] = [
  // A validator signs its requests to the hub as any node does (section 10).
  ...nodeClauses.filter(({ section }) => section === 10),

  clause('V1.1', 10, 'A call without a signature is refused with 401'),
  clause('V1.2', 10, 'A call whose signature does not verify is refused with 401'),
  clause('V1.3', 10, 'A call with a timestamp beyond max_skew is refused with 401'),
  clause('V1.4', 10, 'A call with a nonce that was used is refused with 401'),
  clause(
    'V1.5',
    10,
    'A call of a key that is neither the coordinator nor a validator is refused with 401 or 403',
  ),

  clause('V2.1', 13, 'A set that keeps all rules is attested'),
  clause(
    'V2.2',
    13,
    'An attestation has the key and the id of the validator, and its signature covers set_hash',
  ),
  clause('V2.3', 13, 'A set of other network parameters is not attested'),
  clause('V2.4', 13, 'A set whose entries are not in order is not attested'),
  clause('V2.5', 13, 'A set with a weight_cap that does not follow from its project rules is not attested'),
  clause('V2.6', 12, 'A set whose beacon is not that of its block is not attested'),
  clause('V2.7', 13, 'A set of an epoch that is far ahead is not attested'),
  clause('V2.8', 6, 'A set of project rules that their developer did not sign is not attested'),
  clause('V2.9', 13, 'A second set of a project and epoch is not attested'),
  clause('V2.10', 13, 'A validator that was killed attests no second set either'),

  clause('V3.1', 19, 'A round that its committee agreed on gets a finality vote with exactly its members'),
  clause('V3.2', 17, 'public_key and node_id of a finality vote are those of the validator'),
  clause('V3.3', 19, 'signature covers the hash of the finality record'),
  clause(
    'V3.4',
    17,
    'round_signature covers the kind, round_id, receipt_hash and the hash of the finality record',
  ),
  clause('V3.5', 19, 'round_id, project_id, epoch and set_hash of a record are those of the task'),
  clause('V3.6', 18, 'receipt_hash and gas_used of a record are those that its committee agreed on'),
  clause('V3.7', 19, 'The voters of a record are the members who agreed, ascending by key'),
  clause('V3.8', 20, 'audited of a record is as the block of the audit draws it'),
  clause(
    'V3.9',
    20,
    'The record of an audited round has the result of a run, and credits nobody who says otherwise',
  ),
  clause('V3.10', 18, 'A vote that is not signed by its member counts for nothing'),
  clause('V3.11', 18, 'A vote of a key that was not drawn counts for nothing'),
  clause('V3.12', 15, 'A task that breaks the rules of its project gets no vote'),
  clause('V3.13', 13, 'A task over another set than the attested one gets no vote'),
  clause('V3.14', 15, 'An input with another hash than the task names gets no vote'),
  clause('V3.15', 20, 'A round gets no vote whose audit block is before its agreement'),
  clause('V3.16', 19, 'A round gets one finality vote, whatever it is asked afterwards'),
  clause('V3.17', 19, 'A validator that was killed gives the same finality vote again'),
]

/** The clauses for a hub. */
export const hubClauses: readonly Clause[] = [
  clause('H1.1', 1, 'The descriptor names protocol, network and chain'),
  clause('H1.2', 5, 'params_hash is the hash of the network parameters'),
  clause('H1.3', 25, 'An error has error, message, details and request_id; an unknown path is not_found'),

  clause('H2.1', 10, 'A signed request without one of its headers is refused with 401'),
  clause('H2.2', 10, 'A signature that does not verify is refused with 401'),
  clause('H2.3', 10, 'A signature of another key than the node id is refused with 401'),
  clause('H2.4', 10, 'A timestamp beyond max_skew is refused with 401'),
  clause('H2.5', 10, 'A nonce that was used is refused with 401'),
  clause('H2.6', 27, 'A key that is not bound and not approved is refused with 401 or 403'),
  clause('H2.7', 27, 'A request without upgrade or without a known subprotocol is refused with 426'),

  clause('H3.1', 27, 'The newest subprotocol that both know is taken'),
  clause('H3.2', 27, 'hello is the first frame, with network time and the hash of the parameters'),
  clause('H3.3', 27, 'hello has members of version 2 from version 2 on, and not before'),
  clause('H3.4', 27, 'A ping is answered to the byte'),
  clause('H3.5', 2, 'A frame that is not JSON is answered with the error bad_request'),
  clause('H3.6', 27, 'A frame with an unknown member or type is answered with the error invalid_field'),
  clause('H3.7', 27, 'A control frame that is too large is answered with the error too_large'),
  clause('H3.8', 27, 'The third frame that breaks a rule closes the socket with 1008'),
  clause('H3.9', 27, 'An answer to an offer that is not open gets an error or a cancel that names it'),
  clause('H3.10', 27, 'A second socket of one key closes the first with 4001'),
  // H3.11 is taken: numbers are never given again.

  clause('H4.1', 27, 'An offer is made to a drawn device, with exactly its members'),
  clause('H4.2', 15, 'The task of an offer keeps the rules of its project, which its developer signed'),
  clause(
    'H4.3',
    13,
    'The set of an offer is attested by a quorum of the validators of its epoch, whose generations are signed from the first on',
  ),
  clause('H4.4', 14, 'Position and role of an offer are those of the draw'),
  clause('H4.5', 15, 'The input of an offer has the hash of the task'),
  clause('H4.6', 27, 'An offer that ready does not hold is sent again, and one that it holds is not'),
  clause('H4.7', 27, 'A valid vote is answered with voted, and so is the same vote again'),
  clause('H4.8', 17, 'A vote that is not valid is answered with an error that names its offer'),
  clause('H4.9', 19, 'A round becomes final with the receipt that its committee agreed on'),
]
