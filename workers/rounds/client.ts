import type { DirectOrderObject } from '../../durable-objects/direct-order/object.ts'
import type { RoundObject } from '../../durable-objects/round/object.ts'
import type { Env } from '../env.ts'
import { objectClient } from '../object-client.ts'
import type { PublishedRound } from '../stores/rounds.ts'

type RoundCalls = Pick<
  RoundObject<Env, PublishedRound>,
  'start' | 'read' | 'wait' | 'waitingFor' | 'execute' | 'blockFound'
>

/** The objects of rounds, by their ids. Methods throw 503 `unavailable`. */
export const createRoundsClient = (env: Env) => (roundId: string) =>
  objectClient<RoundCalls>('The round', () => env.ROUND.getByName(roundId), [
    'start',
    'read',
    'wait',
    'waitingFor',
    'execute',
    'blockFound',
  ])

/** The order of direct rounds that may change storage. Methods throw 503 `unavailable`. */
export const createDirectOrderClient = (env: Env) =>
  objectClient<Pick<DirectOrderObject, 'execute'>>(
    'The order of direct rounds',
    () => env.DIRECT_ORDER.getByName('direct'),
    ['execute'],
  )
