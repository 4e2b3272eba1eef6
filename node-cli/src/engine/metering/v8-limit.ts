import { NodeFault } from '../execution.ts'

/** Thrown for a module that keeps the rules and is beyond one of V8's own limits, or needs too much memory to compile. */
export class V8LimitExceeded extends NodeFault {}
