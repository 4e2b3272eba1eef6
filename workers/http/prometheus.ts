/** One series: its labels and its value. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/** A gauge with its samples. A value that is not known now is left out, as the format requires. */
export interface Gauge {
  readonly name: string
  readonly help: string
  readonly samples: readonly (readonly [
    labels: Readonly<Record<string, string>>,
    value: number | null | undefined,
  ])[]
}

export const gauge = (name: string, help: string, value: number | null | undefined): Gauge => ({
  ...{ name, help },
  samples: [[{}, value]],
})

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/** The text format of Prometheus, version 0.0.4. */
export const prometheusText = (gauges: readonly Gauge[]): string =>
  gauges
    .flatMap(({ name, help, samples }) => {
      const known = samples.filter((sample): sample is Sample => typeof sample[1] === 'number')
      if (known.length === 0) return []
      const lines = known.map(
        ([labels, value]) =>
          `${name}${labelsText(labels)} ${value === Number.POSITIVE_INFINITY ? '+Inf' : value}\n`,
      )
      return [`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`, ...lines]
    })
    .join('')

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
