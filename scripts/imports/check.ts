/** Refuses imports that run against the order of the rooms. */
import { readImportGraph } from './graph.ts'
import { findImportFaults } from './order.ts'
import { rooms } from './rooms.ts'

const faults = findImportFaults(readImportGraph(), rooms)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
