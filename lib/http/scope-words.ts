import { keyScopes } from './key-scopes.ts'

/** What a person reads of a scope before they agree to it. */
export interface ScopeWords {
  scope: string
  title: string
  /** Whether it only reads one subject. Whoever is asked for more ticks it themselves. */
  isPreselected: boolean
}

const subjects: Readonly<Record<string, string>> = {
  '*': 'everything that I may',
  accounts: 'the account, its members and teams',
  ai: 'AI sessions with their messages',
  analytics: 'analytics and reports',
  authoring: 'articles and drafts of flows',
  diagrams: 'network diagrams',
  flows: 'flows',
  maintenance: 'maintenance schedules and their runs',
  oncall: 'on-call schedules and escalation policies',
  psa: 'tickets of the ticketing system',
  scripts: 'script templates',
  search: 'what a search finds',
  sessions: 'runs of flows with their evidence',
  uploads: 'uploaded images',
}

/** Describe scopes in words: those that read first, then those that change something, and the broad ones last. */
export function describeScopes(scopes: readonly string[]): ScopeWords[] {
  const words = keyScopes
    .filter((scope) => scopes.includes(scope))
    .map((scope) => {
      const [subject = '', right] = scope.split(':')
      const isReading = right === 'read'
      return {
        scope,
        title: `${isReading ? 'Read' : 'Read and change'} ${subjects[subject] ?? subject}`,
        isPreselected: isReading && subject !== '*',
        order: (subject === '*' ? 2 : 0) + (isReading ? 0 : 1),
      }
    })
  return words.toSorted((a, b) => a.order - b.order).map(({ order: _, ...each }) => each)
}
