/** Units an instance may hold at once. */
export const stackUnits = 65_536

/** The units of one activation of a function: a fixed part, its locals, and its highest operand stack. */
export const stackCost = (locals: number, heightMax: number): number =>
  Math.min(4 + locals + heightMax, stackUnits + 1)
