// The words of the gallery of problems.

import { addWords } from './translate.js';

addWords({
  'gallery.title': ['All problems', 'Bütün sorunlar'],
});
