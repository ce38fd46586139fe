import { addCodeSamples, type SampledDocument, sampleValue } from './code-samples.ts'

type Parameter = SampledDocument['components']['parameters'][string]

/**
 * Return the document that the reference page shows: with code samples, values for the first request, and a
 * tag for each chapter of the guides.
 */
export function createDocsDocument(document: SampledDocument, guides: string): SampledDocument {
  const { tags, 'x-tagGroups': groups, components } = document
  const chapters = guides.split(/^# /m).slice(1)
  const guideTags = chapters.map((chapter) => {
    const [name = '', ...lines] = chapter.split('\n')
    return { name, description: lines.join('\n').trim() }
  })
  return addCodeSamples({
    ...document,
    tags: [...guideTags, ...tags],
    'x-tagGroups': [{ name: 'Guides', tags: guideTags.map(({ name }) => name) }, ...groups],
    components: {
      ...components,
      parameters: mapValues(components.parameters, (parameter) => fillParameter(parameter, document)),
    },
  })
}

/**
 * Fill the required parameters of a query, and leave out the others. Otherwise the page sends the first value
 * of each filter, and the answer is an empty list.
 */
function fillParameter(parameter: Parameter, document: SampledDocument): Parameter {
  if (parameter.in !== 'query') return parameter
  const { required, schema } = parameter
  const example = required
    ? { value: sampleValue(schema, document) }
    : { value: schema.default, 'x-disabled': true }
  return { ...parameter, examples: { default: example } }
}

function mapValues<T>(record: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
