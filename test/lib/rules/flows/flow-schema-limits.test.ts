import { expect, it } from 'vitest'
import * as z from 'zod'
import * as diagrams from '#rules/diagrams/schema.ts'
import * as approvals from '#rules/flows/approval-requirement.ts'
import * as evidence from '#rules/flows/evidence.ts'
import * as keys from '#rules/flows/key.ts'
import * as rfflow from '#rules/flows/rfflow.ts'
import * as timers from '#rules/flows/step-timer.ts'
import * as flows from '#rules/flows/structure.ts'
import * as subflows from '#rules/flows/subflow-schema.ts'
import * as escalationSteps from '#rules/oncall/escalation-step.ts'
import * as rotations from '#rules/oncall/schema.ts'
import * as scripts from '#rules/scripts/schema.ts'
import * as versions from '#rules/versions/schema.ts'
import { listLimits } from './schema-limits.ts'

it.each(
  Object.entries({
    flow: { ...flows, ...approvals, ...evidence, ...keys, ...rfflow, ...timers, ...subflows },
    diagram: diagrams,
    oncall: { ...escalationSteps, ...rotations },
    script: { ...scripts, ...versions },
  }),
)('the schemas of the kind %s have these limits', async (name, exported) => {
  const lines = Object.entries(exported as Record<string, unknown>)
    .filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType)
    .flatMap(([schema, type]) => listLimits(type, schema))
  await expect(`${[...new Set(lines)].join('\n')}\n`).toMatchFileSnapshot(`schema-limits-${name}.txt`)
})
