import * as z from 'zod'
import { Id, idParams, Time } from '#http/fields.ts'
import { IntakeForm, treeTypes } from '#rules/flows/structure.ts'
import { Language, ParametersSchema } from '#rules/scripts/schema.ts'

export const FlowId = idParams('tree_id', 'flow')
export const Slug = z.object({
  slug: z.string().min(1).max(200).describe('Identifies the script in its URL.'),
})

const Type = z
  .enum([...treeTypes, 'script'])
  .meta({ id: 'GalleryItemType' })
  .describe('`script`: a script. Every other value: a flow of this type.')
export const sorts = ['featured', 'popular', 'newest', 'name'] as const

const listFilters = {
  type: Type.optional().describe('Only items of this type.'),
  category: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only items of the category with this name.'),
  page: z.coerce.number().int().min(1).max(10_000).default(1).describe('Page number, starting at 1.'),
  page_size: z.coerce.number().int().min(1).max(100).default(20).describe('How many items a page has.'),
}
export const GalleryQuery = z.strictObject({
  ...listFilters,
  sort: z
    .enum(sorts)
    .meta({ id: 'GallerySort' })
    .default('featured')
    .describe(
      '`featured`: featured items first. `popular`: most used first. `newest`: newest first. `name`: by name.',
    ),
})
export type GalleryQuery = z.infer<typeof GalleryQuery>
export const GallerySearch = z.strictObject({
  ...listFilters,
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Words to search for, best match first. Supports `"a phrase"`, `or` and `-not`.'),
})
export type GallerySearch = z.infer<typeof GallerySearch>

const item = {
  id: Id,
  type: Type,
  slug: z
    .string()
    .nullable()
    .describe('Identifies a script in its URL; null for a flow, whose URL contains its id.'),
  name: z.string().describe('The name of the item.').meta({ example: 'Restart a service' }),
  description: z.string().describe('The purpose of the item.'),
  category: z.string().nullable().describe('Name of the category, if any.'),
  tags: z.array(z.string()).describe('Search keywords.'),
  usage_count: z.int().describe('Number of times it was used.'),
  is_featured: z.boolean().describe('Whether staff featured the item.'),
  published_at: Time.nullable().describe(
    'When the flow was first published, or when the script was created.',
  ),
}
export const GalleryItem = z.strictObject(item).meta({ id: 'GalleryItem' })
export type GalleryItem = z.infer<typeof GalleryItem>

export const GalleryPage = z
  .strictObject({
    items: z.array(GalleryItem).describe('The items of this page.'),
    total: z.int().describe('Number of items on all pages.'),
    page: z.int().describe('Number of this page.'),
    page_size: z.int().describe('How many items a page has.').meta({ example: 20 }),
  })
  .meta({ id: 'GalleryPage' })

export const GalleryCategory = z
  .strictObject({
    category: z.string().describe('Name of the category.'),
    count: z.int().describe('Number of its items.').meta({ example: 12 }),
  })
  .meta({ id: 'GalleryCategory' })
export type GalleryCategory = z.infer<typeof GalleryCategory>

const PreviewNode = z
  .strictObject({
    id: z.string().describe('Unique in the flow.').meta({ example: 'ping' }),
    type: z.string().describe('`decision`, `action` or `solution`.').meta({ example: 'decision' }),
    title: z
      .string()
      .describe('Shown to the technician as the heading.')
      .meta({ example: 'Does it answer a ping?' }),
    description: z.string().describe('Markdown.'),
    options: z
      .array(
        z.strictObject({
          id: z.string().describe('Unique in its decision.'),
          label: z.string().describe('The text of the choice.'),
          next_node_id: z.string().nullish().describe('Id of the node that follows.'),
        }),
      )
      .optional()
      .describe('The choices of a decision.'),
    get children() {
      return z.array(PreviewNode).optional().describe('The child nodes, down to the third level.')
    },
    truncated: z
      .literal(true)
      .optional()
      .describe('True if the node has children that the preview omits.')
      .meta({ example: true }),
  })
  .meta({ id: 'GalleryPreviewNode' })
const PreviewSteps = z
  .strictObject({
    steps: z
      .array(
        z.strictObject({
          id: z.string().describe('Unique in the flow.').meta({ example: 'end' }),
          type: z
            .string()
            .describe('`procedure_step`, `section_header` or `procedure_end`.')
            .meta({ example: 'procedure_end' }),
          title: z.string().describe('What to do.').meta({ example: 'Done' }),
          description: z.string().describe('Markdown.'),
          group_label: z.string().optional().describe('Label of the group of steps that it belongs to.'),
          fallback_steps: z
            .array(
              z.strictObject({
                id: z.string().describe('Unique in the flow.'),
                title: z.string().describe('What to do instead.'),
                description: z.string().describe('Markdown.'),
              }),
            )
            .optional()
            .describe('Steps to try when the step fails.'),
        }),
      )
      .describe('The steps in the order of the flow.'),
  })
  .meta({ id: 'GalleryPreviewSteps' })

export const GalleryFlow = z
  .strictObject({
    ...item,
    intake_form: IntakeForm,
    preview: z
      .union([PreviewSteps, PreviewNode])
      .describe(
        'The first three levels of a tree, in which `truncated` marks nodes with omitted children; or all steps of a list.',
      )
      .meta({
        example: { id: 'ping', type: 'solution', title: 'Reseat the network cable', description: '' },
      }),
  })
  .meta({ id: 'GalleryFlow' })

export const GalleryScript = z
  .strictObject({
    ...item,
    language: Language,
    requires_elevation: z.boolean().describe('Whether the script needs administrator rights.'),
    parameters_schema: ParametersSchema,
  })
  .meta({ id: 'GalleryScript' })
export type GalleryScript = z.output<typeof GalleryScript>
