import harfBuzz from 'harfbuzzjs/dist/harfbuzz.wasm'

// Workers refuse to compile wasm at run time, so the module is compiled at deployment.
export { harfBuzz }
