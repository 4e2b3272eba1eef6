import packageJson from '../../../package.json' with { type: 'json' }
import { nodeSigner } from '../../node-signer.ts'
import type { ServeConfig } from '../config.ts'
import { deviceEngineOf } from '../device-engine.ts'
import { hubClient, parseHubUrl, requestSigner } from '../hub/index.ts'
import type { Link } from '../miner/link.ts'
import { linkView, tellLink } from '../miner/link-view.ts'
import { type NodeParts, type Part, unlessStopped } from '../part.ts'
import { RoundDesk } from './round-desk.ts'
import { SetDesk } from './set-desk.ts'
import type { Validator } from './validator.ts'

type LinkParts = Pick<
  NodeParts,
  'clock' | 'log' | 'metrics' | 'params' | 'paramsSchedule' | 'profile' | 'seed' | 'status'
>

/**
 * Decides rounds and attests sets that come over the link to the hub. Its routes take the same, for a hub that does not reach
 * it there.
 *
 * @param introduced - Of the part that registers the node.
 */
export function validatorLinkPart(
  parts: LinkParts,
  validator: Validator,
  config: Pick<ServeConfig, 'clock' | 'engine'>,
  url: string,
  introduced: () => Promise<void>,
): Part {
  const { profile, seed, params, paramsSchedule, clock, log, metrics, status } = parts
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(url), stopping.signal)
  let link: Link | null = null
  let beginning: Promise<void> = Promise.resolve()
  const send = (text: string) => void link?.sendText(text)
  const desk = new RoundDesk(parts, validator, send)
  const sets = new SetDesk(log, validator, send)
  status.set('relay', () => linkView(link?.standing ?? null))
  metrics.gauge('relay_connected', 'Whether the link to the hub is open', () =>
    Number(link?.standing.state === 'connected'),
  )

  const begin = async (): Promise<void> => {
    // Loads the client of WebSockets.
    const { Link } = await import('../miner/link.ts')
    await unlessStopped(introduced(), stopping.signal)
    if (stopping.signal.aborted) return
    link = new Link({
      client,
      profile,
      clock,
      followsTime: config.clock === 'hub',
      signer: requestSigner(profile, nodeSigner(seed), clock),
      limits: params(),
      paramsSchedule,
      ready: () => ({
        slots: 0,
        engine: deviceEngineOf(config.engine),
        nodectl_version: packageJson.version,
        holding: [],
        role: 'validator',
      }),
      joined: () => {},
      heard: (frame) => (frame.type === 'attest' ? sets.attestAll(frame) : desk.hear(frame)),
      changed: (now) => tellLink(log, client, now),
      log,
    })
  }

  return {
    start: () => {
      beginning = begin()
    },
    stop: async () => {
      stopping.abort()
      await beginning
      await link?.stop()
    },
  }
}
