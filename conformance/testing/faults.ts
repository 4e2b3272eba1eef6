import { deriveNodeId, profileStrings } from '../../protocol/identity/index.ts'
import { closeCodes, type OfferFrame } from '../../protocol/link/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import {
  type Between,
  type Fault,
  type Frame,
  never,
  of,
  signedAgain,
  strangerSeed,
  withReceipt,
} from './fault.ts'
import { voteFaults } from './vote-faults.ts'

const functionOf = (frame: Frame, between: Between): string => between.offerOf(frame)?.task.function ?? ''

/** Declines offers that the node has accepted: when it has run them, so that its slot is free. */
const refusing = (isRefused: (offer: OfferFrame) => boolean): Pick<Fault, 'fromNode'> => ({
  fromNode: (frame, between) => {
    const isMine = (offer_id: string): boolean => {
      const offer = between.offerOf({ offer_id })
      return offer !== undefined && isRefused(offer)
    }
    if (frame.type === 'ready')
      return [{ ...frame, holding: frame.holding.filter((id: string) => !isMine(id)) }]
    if (!isMine(frame.offer_id)) return undefined
    return frame.type === 'vote'
      ? [{ type: 'decline', offer_id: frame.offer_id, reason: 'incompatible' }]
      : []
  },
})

/** Accepts what has to be declined, by the clause that forbids it. */
const takesBait = (number: string, name: string): Fault => ({
  name,
  breaks: [number],
  ...of('decline', (frame, { hub }) =>
    hub.baitOf(frame.offer_id) === number ? [{ type: 'accept', offer_id: frame.offer_id }] : undefined,
  ),
})

const signs = (change: Parameters<typeof signedAgain>[2]): Pick<Fault, 'upgrade'> => ({
  upgrade: (headers, between) => signedAgain(between, headers, change),
})

const header = (between: Between, name: 'node_header' | 'ticket_header'): string =>
  profileStrings(between.profile)[name].toLowerCase()

export const faults: readonly Fault[] = [
  {
    name: 'names no node id',
    breaks: ['N1.1'],
    upgrade: (headers, between) => {
      const { [header(between, 'node_header')]: _, ...others } = headers
      return others
    },
  },
  {
    name: 'names the node id of another key',
    breaks: ['N1.1'],
    upgrade: (headers, between) => ({
      ...headers,
      [header(between, 'node_header')]: deriveNodeId(between.profile, ed25519PublicKey(strangerSeed)),
    }),
  },
  { name: 'signs requests with another key', breaks: ['N1.1'], ...signs({ seed: strangerSeed }) },
  { name: 'has a clock that is six minutes slow', breaks: ['N1.2'], ...signs({ aheadSeconds: -360 }) },
  { name: 'has one nonce for all requests', breaks: ['N1.3'], ...signs({ nonce: '5a'.repeat(16) }) },
  { name: 'signs another method', breaks: ['N1.4'], ...signs({ method: 'POST' }) },
  {
    name: 'offers no subprotocol',
    breaks: ['N1.5'],
    upgrade: ({ 'sec-websocket-protocol': _, ...others }) => others,
  },
  {
    name: 'offers a subprotocol that does not exist',
    breaks: ['N1.5'],
    upgrade: (headers) => ({ ...headers, 'sec-websocket-protocol': 'other-relay.v1' }),
  },
  {
    name: 'says something before ready',
    breaks: ['N1.6'],
    ...of('ready', (frame) => ['{"type": "ping"}', frame]),
  },
  {
    name: 'forgets its ticket',
    breaks: ['N1.7'],
    upgrade: (headers, between) => {
      const { [header(between, 'ticket_header')]: _, ...others } = headers
      return others
    },
  },
  {
    name: 'shows its first ticket for ever',
    breaks: ['N1.7'],
    upgrade: (headers, between) =>
      between.links < 3 ? headers : { ...headers, [header(between, 'ticket_header')]: 'Zmlyc3Q' },
  },
  {
    name: 'does not come back after a lost socket',
    breaks: ['N1.8'],
    upgrade: (headers, { links }) => (links === 2 ? null : headers),
  },
  {
    name: 'does not come back after a restart of the hub',
    breaks: ['N1.9'],
    upgrade: (headers, { links }) => (links === 3 ? null : headers),
  },

  {
    name: 'names a member twice',
    breaks: ['N2.1'],
    ...of('accept', ({ offer_id }) => [`{"type":"accept","type":"accept","offer_id":"${offer_id}"}`]),
  },
  {
    name: 'writes integers as fractions',
    breaks: ['N2.1'],
    ...of('ready', (frame) => [JSON.stringify(frame).replace(/"slots":(\d+)/, '"slots":$1.0')]),
  },
  {
    name: 'sends frames as bytes',
    breaks: ['N2.1'],
    ...of('decline', (frame) => [new TextEncoder().encode(JSON.stringify(frame))]),
  },
  { name: 'adds a member', breaks: ['N2.2'], ...of('accept', (frame) => [{ ...frame, at: 1 }]) },
  {
    name: 'has a reason of its own',
    breaks: ['N2.2'],
    ...of('decline', (frame) => [{ ...frame, reason: 'tired' }]),
  },
  {
    name: 'invents a type',
    breaks: ['N2.2'],
    ...of('accept', (frame) => [{ type: 'progress', offer_id: frame.offer_id }, frame]),
  },
  {
    name: 'pads a frame to 70,000 bytes',
    breaks: ['N2.3'],
    ...of('decline', (frame) => [JSON.stringify(frame).replace('{', `{${' '.repeat(70_000)}`)]),
  },
  {
    name: 'passes over frames with a member that it does not know',
    breaks: ['N2.4', 'N3.1'],
    fromHub: (text, between) => {
      if (!text.includes('"x_later"')) return undefined
      const { offer_id } = JSON.parse(text)
      between.pass(never({ offer_id }))
      between.pass(never({ offer_id }))
      return []
    },
  },
  {
    name: 'ends the link at the first frame that breaks a rule',
    breaks: ['N2.5'],
    fromHub: (text, { close }) => {
      if (text.startsWith('{')) return undefined
      close()
      return []
    },
  },
  {
    name: 'accepts an offer that nobody made',
    breaks: ['N2.6'],
    ...of('accept', (frame) => [frame, { ...frame, offer_id: `${'5a'.repeat(32)}.0` }]),
  },

  {
    name: 'votes without a word before',
    breaks: ['N3.1', 'N3.2'],
    ...of('accept', (frame, { voted }) => (voted.has(frame.offer_id) ? [] : [never(frame)])),
  },
  {
    name: 'says accept after the vote',
    breaks: ['N3.2'],
    fromNode: (frame, { voted }) => {
      if (voted.has(frame.offer_id)) return undefined
      if (frame.type === 'accept') return []
      return frame.type === 'vote' ? [frame, { type: 'accept', offer_id: frame.offer_id }] : undefined
    },
  },
  {
    name: 'does not answer offers of one function',
    breaks: ['N3.1'],
    fromNode: (frame, between) =>
      frame.type !== 'ready' && functionOf(frame, between) === 'fail'
        ? frame.type === 'accept' || frame.type === 'vote'
          ? [never(frame)]
          : undefined
        : undefined,
  },
  {
    name: 'declines what it could run',
    breaks: ['N3.3'],
    ...refusing((offer) => offer.task.function === 'abort'),
  },
  {
    name: 'accepts and does not vote',
    breaks: ['N3.4'],
    ...of('vote', (frame, between) => (functionOf(frame, between) === 'trap' ? [never(frame)] : undefined)),
  },
  {
    name: 'accepts more offers than it has slots',
    breaks: ['N3.4', 'N3.5'],
    ...of('decline', (frame, { hub }) =>
      hub.baitOf(frame.offer_id) === null
        ? [{ type: 'accept', offer_id: frame.offer_id }, never(frame)]
        : undefined,
    ),
  },
  takesBait('N3.6', 'does not look at its position'),
  takesBait('N3.7', 'does not look at its role'),
  takesBait('N3.8', 'does not hash the input'),
  takesBait('N3.9', 'does not hash the set'),
  takesBait('N3.10', 'does not count attestations'),
  takesBait('N3.11', 'does not check who signed the rules'),
  takesBait('N3.12', 'does not look at the functions'),
  takesBait('N3.13', 'does not look at the gas limit'),
  takesBait('N3.14', 'does not look at the epoch'),
  takesBait('N3.15', 'does not hash the module'),
  takesBait('N3.16', 'runs a module with storage'),
  takesBait('N3.17', 'accepts too late'),
  takesBait('N3.18', 'takes inputs of any origin'),
  {
    name: 'fetches from any origin before it declines',
    breaks: ['N3.18'],
    ...of('decline', (frame, between) => {
      if (between.hub.baitOf(frame.offer_id) !== 'N3.18') return undefined
      const pass = () => between.pass(JSON.stringify(frame))
      void fetch(between.offerOf(frame)!.input_url!).then(pass, pass)
      return []
    }),
  },
  {
    name: 'does not fetch inputs',
    breaks: ['N3.3', 'N3.19'],
    ...refusing(({ input_url }) => input_url?.startsWith('http://localhost') === true),
  },
  ...voteFaults,
  {
    name: 'votes otherwise the second time',
    breaks: ['N5.1'],
    ...of('vote', (frame, between) =>
      between.voted.has(frame.offer_id)
        ? [{ ...frame, vote: withReceipt(frame.vote, between, { gas_used: 1 }) }]
        : undefined,
    ),
  },
  {
    name: 'does not vote again for an offer that comes again',
    breaks: ['N5.2'],
    ...of('vote', (frame, { voted, links }) =>
      links === 1 && voted.has(frame.offer_id) ? [never(frame)] : undefined,
    ),
  },
  {
    name: 'holds nothing after a lost socket',
    breaks: ['N5.3'],
    ...of('ready', (frame) => [{ ...frame, holding: [] }]),
  },
  {
    name: 'holds for ever what is over',
    breaks: ['N5.3'],
    ...of('ready', (frame, { memory }) => {
      const held = [...new Set([...(memory.get('held') ?? []), ...frame.holding])]
      memory.set('held', held)
      return [{ ...frame, holding: held }]
    }),
  },
  {
    name: 'does not vote again after a lost socket',
    breaks: ['N5.4'],
    ...of('vote', (frame, { links }) => (links === 2 ? [never(frame)] : undefined)),
  },

  {
    name: 'comes back after another process took its place',
    restarts: 'stopped',
    breaks: ['N1.10'],
    fromHub: (text) =>
      text === `close ${closeCodes.replaced}` ? [`close ${closeCodes.restart}`] : undefined,
  },
  {
    ...takesBait('N3.20', 'does not check who signed the validators'),
    restarts: 'killed',
  },
  {
    name: 'works for a hub of other parameters',
    restarts: 'stopped',
    breaks: ['N1.11'],
    fromHub: (text, { memory }) => {
      if (!text.startsWith('{"type":"hello"')) return undefined
      const hello = JSON.parse(text)
      const params_hash = memory.get('params') ?? hello.params_hash
      memory.set('params', params_hash)
      return [JSON.stringify({ ...hello, params_hash })]
    },
  },
  {
    name: 'votes otherwise after it was killed',
    restarts: 'killed',
    breaks: ['N5.1'],
    ...of('vote', (frame, between) =>
      between.links === 2
        ? [{ ...frame, vote: withReceipt(frame.vote, between, { gas_used: 1 }) }]
        : undefined,
    ),
  },
  {
    name: 'forgets its votes when it is killed',
    restarts: 'killed',
    breaks: ['N5.3', 'N5.5'],
    fromNode: (frame, { links }) => {
      if (links !== 2) return undefined
      return frame.type === 'ready'
        ? [{ ...frame, holding: [] }]
        : frame.type === 'vote'
          ? [never(frame)]
          : undefined
    },
  },
]
