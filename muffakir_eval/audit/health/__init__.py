"""The health of the text of an index: what no retriever can make up for.

============================  ==================  ========================================================
finding                       severity            what it counts
============================  ==================  ========================================================
``empty_chunk``               error from 1/1000   nothing that can be seen
``tiny_chunk``                warning             fewer than ``min_words`` words
``oversized_chunk``           info; warning       ten times the median and over 2,000 characters; beyond
                                                  ``max_characters``
``cut_word``                  warning             chunks that begin or end inside a word
``cut_sentence``              info; warning       chunks that end inside a sentence; half of them and more
``exact_duplicate``           info; 1/100         chunks with the text of an earlier one
``same_after_normalisation``  info; 1/100         with its words in another spelling
``near_duplicate``            info; 1/100         with an estimated Jaccard of ``near_threshold``
``boilerplate_line``          info                first or last lines that many chunks share
``mojibake``                  error from 1/1000   text read in the wrong encoding
``replacement_character``     error from 1/1000   U+FFFD, or words of question marks alone
``presentation_forms``        error from 1/1000   U+FB50-FDFF and FE70-FEFC but for ligatures like ``ﷺ ﷲ ﴾ ﴿``
``reversed_text``             error from 1/1000   Arabic in visual order, each word backwards
``letters_apart``             error from 1/1000   spaces between the letters of words
``missing_spaces``            info; 1/100         words of more than 25 Arabic or 44 Latin letters
``swapped_lam_alef``          info; 1/100         ``األول`` for ``الأول``
``reversed_digits``           warning             numbers that are years only when read backwards
``unmapped_glyphs``           warning             ``(cid:12)``, private use, foreign letters in Arabic words
``mixed_code_points``         info; 1/100         kaf or yeh of another keyboard (``الذی``)
``tatweel``                   info; 1/100         stretched words
``bidi_controls``             info; warning       bidirectional controls; some without their counterpart
``invisible_characters``      info; 1/100         soft hyphen, U+200B, 2060, FEFF
``control_characters``        warning             NUL and its like
``lone_surrogate``            error               half a character, which UTF-8 cannot encode
``unicode_not_nfc``           info; 1/100         letters in two parts
``html_remains``              info; 1/100         tags and entities
``digits_mixed``              info                chunks with other digits than most have
``diacritics_mixed``          info                chunks with vowel signs among such without, or the reverse
``language_mix``              info                chunks mainly in another script than most
``missing_id``                info; warning       no identifier at all; only in part of the corpus
``duplicate_id``              error               identifiers of several chunks of one document
``id_in_several_sources``     warning             identifiers that occur in several documents
``padded_id``                 warning             ``7`` beside ``007``, ``A1`` beside ``a1``
``id_precision``              warning             numbers that a spreadsheet cut to 15 digits
============================  ==================  ========================================================

*Error from 1/1000*: of the chunks, counting those in which the fault touches a twentieth of the letters; below it
is a warning. *1/100*: a warning from one chunk in a hundred on.
"""

from muffakir_eval.audit.health.check import HealthCheck
from muffakir_eval.audit.health.part import HealthPart
from muffakir_eval.audit.health.report import HealthReport

__all__ = ["HealthCheck", "HealthPart", "HealthReport"]
