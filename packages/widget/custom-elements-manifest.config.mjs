/** What editors and frameworks get to know of the element: `dist/custom-elements.json`. */
export default {
  globs: ['src/pay-checkout/pay-checkout.ts'],
  outdir: 'dist',
  litelement: true,
  plugins: [
    {
      name: 'what-is-published',
      packageLinkPhase({ customElementsManifest: { modules } }) {
        const [module] = modules;
        const [element] = module.declarations;
        module.path = 'dist/index.js';
        for (const { declaration } of module.exports) declaration.module = module.path;
        const isPublic = ({ privacy, description }) => privacy !== 'private' && description;
        element.members = element.members.filter(isPublic);
        element.attributes = element.attributes.filter(isPublic);
      },
    },
  ],
};
