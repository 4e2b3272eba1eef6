// Five bodies that attract each other: thousands of roundings, and the same last digit on every node.

class Body {
  constructor(
    public x: f64, public y: f64, public z: f64,
    public vx: f64, public vy: f64, public vz: f64,
    public mass: f64,
  ) {}
}

/** The sun and the large planets, in astronomical units, days and solar masses. */
function bodies(): StaticArray<Body> {
  return [
    new Body(0, 0, 0, 0, 0, 0, 1),
    new Body(4.841431, -1.160320, -0.103622, 0.001660076, 0.007699011, -0.0000690460, 0.000954791),
    new Body(8.343366, 4.124798, -0.403523, -0.002767425, 0.004998528, 0.0000230417, 0.000285885),
    new Body(12.894369, -15.111151, -0.223307, 0.002964601, 0.002378471, -0.0000296589, 0.0000436624),
    new Body(15.379697, -25.919314, 0.179258, 0.002680677, 0.001628241, -0.0000951592, 0.0000515138),
  ];
}

const gravity = 0.00029591220828559;

/** Moves the bodies by a number of days and answers the place of the first planet. */
export function simulate(days: string): string {
  const all = bodies();
  const steps = days.length > 0 ? <i32>I32.parseInt(days) : 1000;
  for (let step = 0; step < steps; step++) advance(all);
  const planet = all[1];
  return '{"x":"' + planet.x.toString() + '","y":"' + planet.y.toString() + '","z":"' + planet.z.toString() + '"}';
}

function advance(all: StaticArray<Body>): void {
  for (let i = 0; i < all.length; i++) {
    const one = all[i];
    for (let j = i + 1; j < all.length; j++) {
      const other = all[j];
      const dx = one.x - other.x, dy = one.y - other.y, dz = one.z - other.z;
      const square = dx * dx + dy * dy + dz * dz;
      const pull = gravity / (square * Math.sqrt(square));
      one.vx -= dx * other.mass * pull; one.vy -= dy * other.mass * pull; one.vz -= dz * other.mass * pull;
      other.vx += dx * one.mass * pull; other.vy += dy * one.mass * pull; other.vz += dz * one.mass * pull;
    }
  }
  for (let i = 0; i < all.length; i++) {
    const one = all[i];
    one.x += one.vx; one.y += one.vy; one.z += one.vz;
  }
}
