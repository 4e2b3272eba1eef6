/** Units an instance may hold at once. */
export const stackUnits = 65_536

/** What one activation of a function costs: a fixed part, its locals, and its highest operand stack. */
export const stackCost = (locals: number, heightMax: number): number =>
  Math.min(4 + locals + heightMax, stackUnits + 1)
