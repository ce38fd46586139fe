import * as z from 'zod'

export const formats = ['markdown', 'text', 'html', 'ticket-note', 'pdf'] as const
export const ExportFormat = z.enum(formats).meta({ id: 'ExportFormat' })
export type Format = (typeof formats)[number]

export const ExportQuery = z.strictObject({
  format: ExportFormat.optional().describe(
    'Format of the document; by default the preference `default_export_format`, otherwise markdown.',
  ),
  max_step_index: z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number from 0 to 999999')
    .transform(Number)
    .optional()
    .describe('Index of the last answered step to include, starting at 0.'),
  mask: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(
      'Whether to mask IP and e-mail addresses, network paths, tokens, keys and passwords; by default the preference `mask_exports`.',
    ),
})
export type ExportQuery = z.infer<typeof ExportQuery>
