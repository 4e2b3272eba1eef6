/** Values of a metric's labels, in the order of their names. */
type Labels = readonly string[]

interface Sample {
  readonly suffix: string
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly value: number
}

interface Metric {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: () => Iterable<Sample>
}

export interface Counter {
  readonly add: (amount: number, ...labels: string[]) => void
  readonly total: () => number
}

/** How often values were at most as large as each bound. */
export interface Histogram {
  readonly observe: (value: number) => void
}

/** The metrics of a node, in the text format of Prometheus. Every name begins with `nodectl_`. */
export class Metrics {
  readonly #metrics = new Map<string, Metric>()

  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    const values = new Map<string, { labels: Labels; value: number }>()
    const add = (amount: number, ...labels: string[]): void => {
      const key = labels.join('\n')
      const known = values.get(key)
      if (known === undefined) values.set(key, { labels, value: amount })
      else known.value += amount
    }
    if (labelNames.length === 0) add(0)
    this.#define(name, {
      help,
      type: 'counter',
      samples: () =>
        [...values.values()].map(({ labels, value }) => ({
          suffix: '',
          labels: labelNames.map((label, i) => [label, labels[i] ?? ''] as const),
          value,
        })),
    })
    return { add, total: () => [...values.values()].reduce((sum, { value }) => sum + value, 0) }
  }

  /** A value that is asked for when the metrics are read. */
  gauge(name: string, help: string, read: () => number, labels: Readonly<Record<string, string>> = {}): void {
    this.#define(name, {
      help,
      type: 'gauge',
      samples: () => [{ suffix: '', labels: Object.entries(labels), value: read() }],
    })
  }

  /** @param bounds Ascending. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const counts = bounds.map(() => 0)
    let sum = 0
    let count = 0
    this.#define(name, {
      help,
      type: 'histogram',
      samples: () => [
        ...bounds.map((bound, i) => ({
          suffix: '_bucket',
          labels: [['le', String(bound)]] as const,
          value: counts[i]!,
        })),
        { suffix: '_bucket', labels: [['le', '+Inf']], value: count },
        { suffix: '_sum', labels: [], value: sum },
        { suffix: '_count', labels: [], value: count },
      ],
    })
    return {
      observe: (value) => {
        for (const [i, bound] of bounds.entries()) if (value <= bound) counts[i]! += 1
        sum += value
        count += 1
      },
    }
  }

  /** Everything, as `GET /metrics` answers it. */
  text(): string {
    const lines: string[] = []
    for (const [name, { help, type, samples }] of this.#metrics) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
      for (const { suffix, labels, value } of samples()) {
        const shown = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
        lines.push(`${name}${suffix}${shown === '' ? '' : `{${shown}}`} ${value}`)
      }
    }
    return `${lines.join('\n')}\n`
  }

  #define(name: string, metric: Metric): void {
    const full = `nodectl_${name}`
    if (this.#metrics.has(full)) throw new Error(`the metric ${full} is there already`)
    this.#metrics.set(full, metric)
  }
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** Adds the memory and the processor time of the process. */
export function observeProcess(metrics: Metrics): void {
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss())
  metrics.gauge('process_cpu_seconds', 'Processor time since the start', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000_000
  })
}
