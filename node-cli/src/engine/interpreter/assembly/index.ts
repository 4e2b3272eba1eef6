/** An interpreter for the code that translation/ writes. Everything it works on lies in its own memory; see layout.ts. build.ts adds opcodes.ts. */
export { charge, exhaust, gasUsed, memoryBytes, setGas, setLayout, setUnits, trapKind } from './machine'
export { call, resume } from './start'
