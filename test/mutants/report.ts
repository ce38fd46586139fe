import type { Mutation } from './candidates.ts'
import type { Verdict } from './test-mutant.ts'

export interface TestedMutant {
  mutation: Mutation
  verdict: Verdict
}

const shorten = (text: string, length: number) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** Describe a mutation in one line: the place, and the text before and after. */
export function describeMutation({ kind, file, line, before, text }: Mutation): string {
  const after = text === '' || text === ';' ? 'nothing' : `\`${shorten(text, 70)}\``
  return `${file}:${line}  ${kind}: \`${shorten(before, 70)}\` became ${after}`
}

export function printMutant({ mutation, verdict }: TestedMutant, number: number, seconds: number): void {
  const state = verdict.killed ? 'killed  ' : 'SURVIVED'
  console.log(`${String(number).padStart(3)} ${state} ${describeMutation(mutation)}`)
  console.log(`             ${shorten(verdict.reason, 130)} (${seconds.toFixed(1)} s)`)
}

/** Print the share of killed mutants, also per kind, and every survivor. */
export function printSummary(
  mutants: readonly TestedMutant[],
  controls: { runs: number; failures: readonly string[] },
): void {
  const survivors = mutants.filter(({ verdict }) => !verdict.killed)
  console.log(`\nKilled ${formatShare(mutants)}.`)
  for (const [kind, group] of Map.groupBy(mutants, ({ mutation }) => mutation.kind))
    console.log(`  ${kind}: ${formatShare(group)}`)
  console.log(`Control runs without a change: ${controls.runs}, of which ${controls.failures.length} failed.`)
  for (const failure of controls.failures) console.log(`  ${failure}`)
  if (survivors.length > 0) console.log('Survived:')
  for (const { mutation, verdict } of survivors)
    console.log(`  ${describeMutation(mutation)} (${verdict.reason})`)
}

function formatShare(mutants: readonly TestedMutant[]): string {
  const killed = mutants.filter(({ verdict }) => verdict.killed).length
  return `${killed} of ${mutants.length} (${mutants.length === 0 ? 0 : Math.round((100 * killed) / mutants.length)} %)`
}
