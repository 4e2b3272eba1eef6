import { DirectOrderObject } from '../../durable-objects/direct-order/object.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { runDirectRound } from './direct-round.ts'
import { validatorSources } from './round-config.ts'

export function createDirectOrder(ctx: DurableObjectState, env: Env): DirectOrderObject<Env> {
  const hub = services(env)
  const sources = {
    ...validatorSources(hub, readSettings(env)),
    rounds: hub.rounds,
    writeRounds: hub.writeRounds,
  }
  return new DirectOrderObject(ctx, env, {
    run: (request, book, answerMsMax) => runDirectRound(sources, request, { answerMsMax, book }),
  })
}
