// The texts of the problem gallery.

import { addWords } from './translate.js';

addWords({
  'gallery.title': ['All problems', 'Bütün sorunlar'],
});
