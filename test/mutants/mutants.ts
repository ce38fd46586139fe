// `npm run mutants -- --count 100 --seed 7`: change the code in random places, one at a time, and see whether
// a test fails.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { root } from '#local/root.ts'
import { listMutations, listSourceFiles } from './candidates.ts'
import { createDraw } from './draw.ts'
import { createRandom } from './random.ts'
import { describeMutation } from './report.ts'
import { runMutants } from './run-mutants.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** Draw only from files whose path starts with this. */
    only: { type: 'string', default: '' },
    /** Print what would be drawn, and run nothing. */
    list: { type: 'boolean', default: false },
  },
})
const [count, seed] = [Number(values.count), Number(values.seed)]
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed))
  throw new Error('--count and --seed take whole numbers')

const mutations = listSourceFiles(root)
  .filter((file) => file.startsWith(values.only))
  .flatMap((file) => listMutations(root, file))
const draw = createDraw(mutations, createRandom(seed))
console.log(
  `Drawing ${count} of ${mutations.length} mutants: npm run mutants -- --count ${count} --seed ${seed}${values.only && ` --only ${values.only}`}`,
)

// An exit stops the test run and PostgreSQL, and removes the copy. A signal alone would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

if (values.list) for (let n = 0; n < count; n++) console.log(describeMutation(draw() ?? process.exit()))
else await runMutants(root, draw, count)
