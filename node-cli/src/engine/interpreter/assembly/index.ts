/** An interpreter for the code that translate-module.ts writes. Everything it works on lies in its own memory; see translate-module.ts. */
export { charge, exhaust, gasUsed, memoryBytes, setGas, setLayout, setUnits, trapKind } from './machine'
export { call, resume } from './run'
