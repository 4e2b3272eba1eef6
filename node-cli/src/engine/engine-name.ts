/** `native` compiles modules with V8; `pulley` interprets them. A run has the same outcome and gas on both. */
export const engineNames = ['native', 'pulley'] as const
export type EngineName = (typeof engineNames)[number]

/** The choice of a run: an engine, or `auto`: native, and the interpreter for a module that V8 does not take. */
export type EngineChoice = EngineName | 'auto'
