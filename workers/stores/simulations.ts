import { and, desc, eq, type InferSelectModel, lt, ne, sql } from 'drizzle-orm'
import type { ExecutionEvent, ExecutionReceipt } from '../../protocol/execution/index.ts'
import { batch, isChanged, Store } from './database.ts'
import { simulations } from './schema/developer-tools.ts'
import { insertFrom } from './statements.ts'

export type Simulation = InferSelectModel<typeof simulations>
export type ListedSimulation = Omit<Simulation, 'requests' | 'results' | 'claimedUntil' | 'attempts'>

/** A task of a simulation, which needs no more to be run. */
export interface SimulatedTask {
  module: string
  function: string
  /** Base64. */
  input: string
  inputHash: string
  gasLimit: number
}

/** The result that a quorum gave for a task. */
export interface SimulatedResult {
  roundId: string
  receipt: ExecutionReceipt
  /** Base64; null if it is too large to be kept. */
  output: string | null
  events: readonly ExecutionEvent[] | null
  votes: number
  quorum: number
  /** Why the run failed, in the words of a validator; left out by earlier builds. */
  error?: string | null
}

export interface SimulationEnd {
  status: 'passed' | 'failed'
  results: readonly SimulatedResult[]
  logs: readonly string[]
}

/** The most simulations of a project; its list has all of them. */
export const simulationsMax = 20
/** The most simulations of a project that run at once. */
export const runningMax = 2
/** A round is over sooner. */
const claimSecs = 90
const attemptsMax = 3
/** Taken up again at once. */
const dueMax = 5

/** Tasks that developers have validators run. */
export class SimulationStore extends Store {
  async find(simulationId: string): Promise<Simulation | null> {
    return (await this.db.select().from(simulations).where(isNamed(simulationId)).get()) ?? null
  }

  /** Newest first. */
  async list(projectId: string): Promise<ListedSimulation[]> {
    const { simulationId, status, logs, startedAt, completedAt } = simulations
    return this.db
      .select({
        ...{ simulationId, projectId: simulations.projectId, status, logs },
        ...{ startedAt, completedAt },
      })
      .from(simulations)
      .where(eq(simulations.projectId, projectId))
      .orderBy(desc(startedAt), desc(simulationId))
      .limit(simulationsMax)
  }

  /** Begins one unless {@link runningMax} of the project run, and forgets the oldest that are over. */
  async begin(
    simulationId: string,
    projectId: string,
    tasks: readonly SimulatedTask[],
    now: number,
  ): Promise<'begun' | 'busy'> {
    const ofProject = eq(simulations.projectId, projectId)
    const running = this.db.$count(simulations, and(ofProject, eq(simulations.status, 'running')))
    const row = {
      ...{ simulationId, projectId, requests: JSON.stringify(tasks), results: '[]', logs: [] },
      ...{ status: 'running' as const, startedAt: now, claimedUntil: now + claimSecs, attempts: 1 },
    }
    const kept = this.db
      .select({ id: simulations.simulationId })
      .from(simulations)
      .where(ofProject)
      .orderBy(desc(simulations.startedAt), desc(simulations.simulationId))
      .limit(simulationsMax)
    const results = await batch(this.db, [
      insertFrom(simulations, row, sql`WHERE ${running} < ${runningMax}`).onConflictDoNothing(),
      this.db
        .delete(simulations)
        .where(
          and(ofProject, ne(simulations.status, 'running'), sql`${simulations.simulationId} NOT IN ${kept}`),
        ),
    ])
    return isChanged(results[0]) ? 'begun' : 'busy'
  }

  /** Claims those whose process ended before they did, and fails those that were begun too often. */
  async claimDue(now: number): Promise<Simulation[]> {
    const due = and(eq(simulations.status, 'running'), lt(simulations.claimedUntil, now))
    await this.db
      .update(simulations)
      .set({
        ...{ status: 'failed', requests: null, completedAt: now },
        logs: ['the hub was interrupted each time it ran this; try again'],
      })
      .where(and(due, sql`${simulations.attempts} >= ${attemptsMax}`))
    const some = this.db.select({ id: simulations.simulationId }).from(simulations).where(due).limit(dueMax)
    return this.db
      .update(simulations)
      .set({ claimedUntil: now + claimSecs, attempts: sql`${simulations.attempts} + 1` })
      .where(and(due, sql`${simulations.simulationId} IN ${some}`))
      .returning()
  }

  /** Ends it once: of two processes that ran it, the first counts. */
  async end(simulationId: string, { status, results, logs }: SimulationEnd, now: number): Promise<void> {
    await this.db
      .update(simulations)
      .set({ status, logs, results: JSON.stringify(results), requests: null, completedAt: now })
      .where(and(isNamed(simulationId), eq(simulations.status, 'running')))
  }
}

const isNamed = (simulationId: string) => eq(simulations.simulationId, simulationId)
