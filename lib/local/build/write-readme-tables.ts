import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountFate, erasure, otherStores, type PersonFate } from '#db/erasure.ts'
import { type Policy, retention } from '#db/retention.ts'
import { root } from '#local/root.ts'
import { writeGenerated } from './write-generated.ts'

function describePolicy(policy: Policy): string {
  if (policy.kind === 'kept') return 'as long as the account'
  if (policy.kind === 'with') return `with its row of \`${policy.parent}\``
  if (policy.kind === 'statement') return policy.rule
  return policy.expiries
    .map(({ column, keptFor, where }) => {
      const time = typeof keptFor === 'string' ? keptFor : `\`${keptFor.setting}\``
      return `${time} after \`${column}\`${where ? `, where \`${where}\`` : ''}`
    })
    .join('; ')
}

function describeAccount(fate: AccountFate): string {
  if (fate.kind === 'batches') return `deleted, up to ${fate.limit} rows at a time`
  return fate.kind === 'kept' ? `kept: ${fate.why}` : 'deleted'
}

const listColumns = (columns: readonly string[]) => columns.map((column) => `\`${column}\``).join(', ')

function describePerson({ rows, anonymised = [], kept }: PersonFate): string {
  const fates = [
    ...(rows ? ['rows of the person deleted'] : []),
    ...(anonymised.length > 0 ? [`${listColumns(anonymised)} anonymised`] : []),
    ...(kept ? [`${listColumns(kept.columns)} kept: ${kept.why}`] : []),
  ]
  return fates.join('; ') || 'ids at most'
}

const policies = Object.entries(retention).map(([table, policy]) => [
  `\`${table}\``,
  describePolicy(policy),
  policy.why,
])
const fates = Object.entries(erasure).map(([table, { account, person }]) => [
  `\`${table}\``,
  describeAccount(account),
  describePerson(person),
])
const stores = Object.entries(otherStores).map(([store, fate]) => [store, `An erasure ${fate}.`])

/** Return the page with other rows in the table that has this header. */
function replaceTable(page: string, header: string, rows: readonly string[][]): string {
  const lines = page.split('\n')
  const start = lines.indexOf(header) + 2
  if (start === 1) throw new Error(`No table has the header ${header}`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  return lines.toSpliced(start, length, ...rows.map((cells) => `| ${cells.join(' | ')} |`)).join('\n')
}

async function writePage(file: string, tables: Record<string, readonly string[][]>): Promise<void> {
  const page = await readFile(join(root, file), 'utf8')
  const text = Object.entries(tables).reduce((text, [header, rows]) => replaceTable(text, header, rows), page)
  await writeGenerated(file, text, {
    source: 'lib/db/retention.ts or erasure.ts',
    command: 'npm run generate',
  })
}

await writePage('functions/jobs/README.md', { '| table | kept for | why |': policies })
await writePage('functions/accounts/erasure/README.md', {
  '| table | erasure of the account | erasure of a person |': fates,
  '| elsewhere | what happens |': stores,
})
