// Follows the values of parameters through the names of a script: variables, functions, files and streams.
// Order and branches are ignored.

/** The placeholders of text in an expression, by start index, and the names in it. */
export interface Values {
  placeholders: number[]
  names: string[]
}

export interface SourceGraph {
  /** Let the values reach a name. */
  assign(name: string, values: Values): void
  /** Let what reaches `source` reach `user`. */
  connect(source: string, user: string): void
  /** Follow the values. Return the function that returns the placeholders that reach an expression. */
  follow(): (values: Values) => number[]
}

/** One source per parameter is enough to refuse it. A hostile script must not make this quadratic. */
const maxSources = 20

export function createSourceGraph(): SourceGraph {
  const usersByName = new Map<string, Set<string>>()
  const queue: [name: string, start: number][] = []
  const connect = (source: string, user: string) => {
    const users = usersByName.get(source)
    if (users) users.add(user)
    else usersByName.set(source, new Set([user]))
  }
  return {
    assign: (user, { placeholders, names }) => {
      for (const start of placeholders) queue.push([user, start])
      for (const name of names) connect(name, user)
    },
    connect,
    follow: () => {
      const sourcesByName = new Map<string, Set<number>>()
      for (let next = queue.pop(); next; next = queue.pop()) {
        const [name, start] = next
        const sources = sourcesByName.get(name) ?? new Set()
        sourcesByName.set(name, sources)
        if (sources.has(start) || sources.size >= maxSources) continue
        sources.add(start)
        for (const user of usersByName.get(name) ?? []) queue.push([user, start])
      }
      return ({ placeholders, names }) => [
        ...new Set([...placeholders, ...names.flatMap((name) => [...(sourcesByName.get(name) ?? [])])]),
      ]
    },
  }
}
