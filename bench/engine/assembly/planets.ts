/** Five bodies that attract each other, in doubles: square roots, divisions, fields of objects. */
class Body {
  constructor(
    public x: f64,
    public y: f64,
    public z: f64,
    public vx: f64,
    public vy: f64,
    public vz: f64,
    public mass: f64,
  ) {}
}

const bodies: StaticArray<Body> = [
  new Body(0, 0, 0, 0, 0, 0, 39.47),
  new Body(4.84, -1.16, -0.1, 0.6, 2.81, -0.02, 0.037),
  new Body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
  new Body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
  new Body(15.37, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002),
]

function advance(dt: f64): void {
  const count = bodies.length
  for (let i = 0; i < count; i++) {
    const one = unchecked(bodies[i])
    for (let j = i + 1; j < count; j++) {
      const other = unchecked(bodies[j])
      const dx = one.x - other.x
      const dy = one.y - other.y
      const dz = one.z - other.z
      const square = dx * dx + dy * dy + dz * dz
      const pull = dt / (square * Math.sqrt(square))
      one.vx -= dx * other.mass * pull
      one.vy -= dy * other.mass * pull
      one.vz -= dz * other.mass * pull
      other.vx += dx * one.mass * pull
      other.vy += dy * one.mass * pull
      other.vz += dz * one.mass * pull
    }
  }
  for (let i = 0; i < count; i++) {
    const one = unchecked(bodies[i])
    one.x += dt * one.vx
    one.y += dt * one.vy
    one.z += dt * one.vz
  }
}

function kernel(n: i32): i32 {
  for (let i = 0; i < n; i++) advance(0.01)
  return <i32>(unchecked(bodies[0]).x * 1e6)
}
