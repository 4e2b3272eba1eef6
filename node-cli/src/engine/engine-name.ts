/** `native` compiles modules with V8; `pulley` interprets them. What a run does and costs is the same on both. */
export const engineNames = ['native', 'pulley'] as const
export type EngineName = (typeof engineNames)[number]

/** What runs may ask for: an engine, or `auto`: native, and the interpreter for a module that V8 does not take. */
export type EngineChoice = EngineName | 'auto'
