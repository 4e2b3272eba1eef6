import { RoundObject } from '../../durable-objects/round/object.ts'
import { type Env, readSettings } from '../env.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import { createRoundConfig } from './round-config.ts'

export const createRound = (ctx: DurableObjectState, env: Env): RoundObject<Env, PublishedRound> =>
  new RoundObject(ctx, env, createRoundConfig(env, readSettings(env)))
