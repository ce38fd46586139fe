import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '#local/root.ts'
import { measureUsage } from './measure.ts'
import { readProcessorTime } from './processor-time.ts'
import { readUsage, replaceTable, usageFile, writeTable } from './table.ts'

const readme = join(root, 'functions/README.md')

/**
 * Print the costs of the stored measurement, or with `--measure` of a new one, which is then stored. Write
 * both into the README.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { measure: { type: 'boolean', default: false } } })
  if (values.measure) writeFileSync(usageFile, `${JSON.stringify(await measureUsage(), null, 2)}\n`)
  const table = writeTable(readUsage(), readProcessorTime())
  console.log(table)
  writeFileSync(readme, replaceTable(readFileSync(readme, 'utf8'), table))
}

await main()
