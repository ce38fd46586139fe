import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { costEventStreams, estimateCosts, estimateMonth } from './estimate.ts'
import { sources } from './prices.ts'
import { accountCounts, type Usage } from './usage.ts'

/** The stored measurement. */
export const usageFile = join(import.meta.dirname, 'usage.json')
export const readUsage = () => JSON.parse(readFileSync(usageFile, 'utf8')) as Usage

const [start, end] = ['<!-- costs -->', '<!-- end of costs -->']

/** Return the README with its table of costs replaced. */
export function replaceTable(readme: string, table: string): string {
  const [before, rest] = readme.split(`${start}\n`)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('The README has no marks for the table of costs')
  return `${before}${start}\n${table}\n${end}${after}`
}

const dollars = (amount: number) => `$${Math.round(amount).toLocaleString('en-US')}`
const count = (amount: number) => (amount >= 1e6 ? `${(amount / 1e6).toFixed(1)} M` : Math.round(amount).toLocaleString('en-US'))
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Write what each vendor costs and what is used, as tables of markdown. */
export function writeTable(usage: Usage): string {
  const costs = accountCounts.map((accounts) => estimateCosts(usage, accounts))
  const months = accountCounts.map((accounts) => estimateMonth(usage, accounts))
  const heading = ['per month', ...accountCounts.map((accounts) => `${accounts.toLocaleString('en-US')} accounts`)]
  const divider = row(heading.map(() => '---'))
  const link = (vendor: string) => sources.find((source) => source.vendor === vendor)?.url ?? ''
  const vendors = (costs[0] ?? []).map(({ vendor }, index) =>
    row([`[${vendor}](${link(vendor)})`, ...costs.map((list) => `${dollars(list[index]?.dollars ?? 0)} (${list[index]?.plan})`)]),
  )
  const total = row(['**total**', ...costs.map((list) => `**${dollars(list.reduce((sum, cost) => sum + cost.dollars, 0))}**`)])
  const streams = row([
    'with event streams instead of WebSockets',
    ...accountCounts.map((accounts) => `+ ${dollars(costEventStreams(accounts))}`),
  ])
  const used = (name: string, read: (month: (typeof months)[number]) => string) => row([name, ...months.map(read)])
  return [
    ...[row(heading), divider, ...vendors, total, streams, '', row(heading), divider],
    used('requests to the Worker', (month) => count(month.requests)),
    used('round trips to PostgreSQL', (month) => count(month.roundTrips)),
    used('commands to Redis', (month) => count(month.redisCommands)),
    used('messages of the queue', (month) => count(month.queueMessages)),
    used('e-mails', (month) => count(month.mails)),
    used('calls to the model', (month) => count(month.aiCalls)),
    used('written to PostgreSQL', (month) => `${month.writtenGb.toFixed(1)} GB`),
  ].join('\n')
}
