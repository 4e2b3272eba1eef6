import { type NetworkParams, type ParamsSchedule, paramsAt } from '../identity/index.ts'

/** The epoch of a time: `floor(t / epoch_secs)`. Times and lengths are whole Unix seconds. */
export const epochAt = (time: number, epochSecs: number): number => Math.floor(time / epochSecs)

/** The first second of an epoch: `epoch × epoch_secs`. The epoch ends where the next one starts. */
export const epochStart = (epoch: number, epochSecs: number): number => epoch * epochSecs

/** The parameters of an epoch: those of its start, also for what follows from it later. */
export const paramsOfEpoch = (schedule: ParamsSchedule, epoch: number, epochSecs: number): NetworkParams =>
  paramsAt(schedule, epochStart(epoch, epochSecs))
