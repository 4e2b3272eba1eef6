import { type SQLWrapper, sql } from 'drizzle-orm'
import { pauseRestSecs } from '../chain/pauses.ts'
import { auditStatement, type Decision } from './audit-log.ts'
import { isState } from './chain-facts.ts'
import { batch, isChanged, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import { chainStates } from './schema/index.ts'

export type VetoAction = 'veto' | 'reopen'

const { state } = chainStates

/** Decisions about epochs that operators have the arbiter carry out. The indexed state of the chain limits which are possible. */
export class SettlementDecisionStore extends Store {
  /** Wants an epoch vetoed while its challenge period runs, or reopened while it is vetoed; notes who decided so. */
  async decide(
    action: VetoAction,
    { projectId, epoch, subject }: { projectId: string; epoch: number; subject: string },
    decision: Decision,
    now: number,
  ): Promise<'decided' | 'invalid_state'> {
    const isPossible =
      action === 'veto'
        ? sql`${state}->>'vetoed' = 0 AND ${state}->>'release_at' > ${now}`
        : sql`${state}->>'vetoed' = 1 AND ${state}->>'reopened' = 0`
    const found = sql`${chainStates} WHERE ${isState('epoch', subject)} AND ${isPossible}`
    const after = { epoch, vetoed: action === 'veto' }
    return this.#decide(
      auditStatement(
        { ...decision, action: `epoch.${action}`, subject: projectId, after },
        now,
        sql`SELECT ${state} AS value FROM ${found}`,
      ),
      wantStatement(
        { kind: 'set_veto', subject, wanted: { vetoed: action === 'veto' ? 'yes' : 'no' } },
        now,
        sql`SELECT 1 FROM ${found}`,
      ),
    )
  }

  /**
   * Wants the posting of epochs paused, or to go on; refused where the chain says that it is so already, and a pause where the
   * last one ended less than a day before.
   */
  async setPaused(
    factory: string,
    paused: boolean,
    decision: Decision,
    now: number,
  ): Promise<'decided' | 'invalid_state'> {
    const found = sql`SELECT 1 FROM ${chainStates} WHERE ${isState('posting', factory)}`
    const isPaused = sql`EXISTS (${found} AND ${state}->>'paused' = 1
      AND coalesce(${state}->>'paused_until', ${now + 1}) > ${now})`
    const rests = sql`EXISTS (${found} AND ${state}->>'paused_until' <= ${now}
      AND ${state}->>'paused_until' > ${now - pauseRestSecs})`
    const condition = paused ? sql`${isPaused} = 0 AND ${rests} = 0` : sql`${isPaused} = 1`
    const action = paused ? 'settlement.pause' : 'settlement.unpause'
    return this.#decide(
      auditStatement(
        { ...decision, action, subject: factory, after: { paused } },
        now,
        sql`SELECT json_object('paused', json(iif(${isPaused}, 'true', 'false'))) AS value WHERE ${condition}`,
      ),
      wantStatement(
        { kind: 'set_posting_pause', subject: factory, wanted: { paused: paused ? 'yes' : 'no' } },
        now,
        sql`SELECT 1 WHERE ${condition}`,
      ),
    )
  }

  async #decide(note: SQLWrapper, wish: SQLWrapper): Promise<'decided' | 'invalid_state'> {
    const [, wanted] = await batch(this.db, [note, wish])
    return isChanged(wanted) ? 'decided' : 'invalid_state'
  }
}
